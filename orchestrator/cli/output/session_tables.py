"""Format session tables for a terminal."""

from collections.abc import Iterator, Sequence

import click

from actions.history.session_table import OBSERVED_KINDS, LineRow, SessionPlace, SessionTable, Timeline
from orchestrator.cli.output.text import safe
from orchestrator.cli.output.wrap import cut, fit
from templates.filters import counted

_RED_KINDS = ("failed", "forbidden")
_YELLOW_KINDS = ("refused", "skipped", "late", "unchecked", "truncated", "compacted", "asked", *OBSERVED_KINDS)
_KIND_COLOURS = dict.fromkeys(_RED_KINDS, "red") | dict.fromkeys(_YELLOW_KINDS, "yellow")
_SEVERITY_COLOURS = {"critical": "red", "high": "red", "medium": "yellow"}
_MAX_QUOTE = 110
"""Maximum width of a quote, in columns."""


def format_session_table(table: SessionTable) -> Iterator[str]:
    """Yield the table, the habits and the timelines of one unit."""
    versions = list(dict.fromkeys(safe(timeline.version) for timeline in table.timelines if timeline.version))
    about = [counted(table.uses, "run"), f"in {counted(table.sessions, 'session')}"]
    about += [f"Claude Code {', '.join(versions[-5:])}"] if versions else []
    yield click.style(f"{safe(table.unit)}", bold=True) + f"  {table.kind}  {safe(table.path)}"
    yield f"  {', '.join(about)}"
    for text in table.loaded_texts if table.texts > 1 else ():
        today = ", today's" if text.is_today else ""
        yield click.style(f"  text {text.number}: {counted(text.uses, 'run')}, {safe(text.dates)}{today}", dim=True)
    if table.faults:
        yield ""
    for fault in table.faults:
        head = click.style(f"  {fault.line:>5}  {fault.severity:<8}", fg=_SEVERITY_COLOURS.get(fault.severity))
        yield from fit(f"{head} ", f"{safe(fault.message)} ({fault.pattern}, {fault.grade})")
    yield ""
    yield click.style(f"  {'line':>5} {'reached':>8} {'ran':>5} {'failed':>7} {'not run':>8}  text", dim=True)
    for row in table.rows:
        yield from _format_row(row)
    if table.habits:
        yield from ("", click.style("  Often run, but not in the text", bold=True))
        for habit in table.habits:
            head = f"  {habit.uses:>5} of {table.uses} runs  "
            yield from fit(head, f"{safe(habit.text)}  ({safe(habit.session)} record {habit.record})")
    for timeline in table.timelines:
        yield ""
        yield from _format_timeline(timeline, has_several_texts=table.texts > 1)


def _format_row(row: LineRow) -> Iterator[str]:
    counts = row.counts
    line = "gone" if row.line is None else str(row.line)
    was = f" (gone, was line {row.loaded_line})" if row.line is None else ""
    figures = f"{counts.reached:>8} {counts.ran:>5} {counts.failed:>7} {counts.never:>8}"
    colour = "red" if counts.failed or (row.is_forbidden and counts.ran) else None
    mark = "" if row.kind == "command" else f"{row.kind}: "
    mark = "never run: " if row.is_forbidden else f"if needed: {mark}" if row.is_conditional else mark
    yield from fit(click.style(f"  {line:>5} {figures}  ", fg=colour), safe(f"{mark}{row.text}{was}"))
    if row.first and (counts.failed or row.is_forbidden):
        yield click.style(f"{'':39}{_format_place(row.first)}", dim=True)
    by_version = [f"{name}: {part.failed} of {part.ran}" for name, part in row.split_counts] if counts.failed else []
    if by_version:
        yield from fit(f"{'':39}", click.style(safe(f"failed with {'; '.join(by_version)}"), dim=True))


def _format_place(place: SessionPlace) -> str:
    agent = f" of agent {safe(place.agent)}" if place.agent else ""
    return f"{safe(place.session)} record {place.record}{agent} | {cut(safe(place.quote), _MAX_QUOTE)}"


def _format_timeline(timeline: Timeline, *, has_several_texts: bool) -> Iterator[str]:
    about = [
        safe(timeline.date) or "no date",
        f"Claude Code {safe(timeline.version)}" if timeline.version else "",
        counted(timeline.records, "record"),
    ]
    about += [counted(timeline.tokens, "token"), "no user" if timeline.is_headless else ""]
    about += [f"text {timeline.text}"] if has_several_texts else []
    yield "  " + click.style(safe(timeline.name), bold=True) + "  " + ", ".join(filter(None, about))
    yield click.style(f"  {'record':>8} {'line':>5}", dim=True)
    for event in timeline.events:
        line = "" if event.line is None else str(event.line)
        kind = click.style(f"{event.kind:<10}", fg=_KIND_COLOURS.get(event.kind))
        head = f"  {event.record:>8} {line:>5}  {kind} "
        if event.is_read:
            yield from fit(head, f"{safe(event.text)} (read)")
        else:
            yield f"{head}{cut(safe(event.text), _MAX_QUOTE)}".rstrip()


def format_session_tables(tables: Sequence[SessionTable]) -> Iterator[str]:
    """Yield the lines of all tables."""
    for number, table in enumerate(tables):
        if number:
            yield ""
        yield from format_session_table(table)
