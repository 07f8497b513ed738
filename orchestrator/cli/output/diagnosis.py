"""Format a diagnosis of several units for a terminal: each unit, then a summary and the next commands."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import click
from msgspec.structs import replace

from actions.patterns.page import CUSTOM
from actions.reporting.unread_files import LEFT_OUT, NOT_PARSED
from orchestrator.cli.output.issue_lines import HANG, quote_path
from orchestrator.cli.output.wrap import fit
from orchestrator.engine.rows import Row, split_shared_notes
from schemas.vocabulary import Gate, Severity, UnitKind
from templates.filters import counted

_KIND_WORDS = {
    UnitKind.HOOKS: "hooks file",
    UnitKind.MCP: "MCP file",
    UnitKind.MEMORY: "memory file",
    UnitKind.STYLE: "output style",
}
_GATE_WORDS = {Gate.REVIEW: "to review", Gate.FAIL: "fail"}


def format_rows(rows: Sequence[Row], format_row: Callable[[Row], Iterator[str]], *, skip_clean: bool) -> str:
    """Return the text of all units.

    skip_clean: leave out units without findings and notes. A single unit is always shown.
    """
    return "".join(f"{line}\n" for line in _format_lines(rows, format_row, skip_clean=skip_clean))


def _format_lines(
    rows: Sequence[Row], format_row: Callable[[Row], Iterator[str]], *, skip_clean: bool
) -> Iterator[str]:
    rows, unasked_notes = split_shared_notes(rows)
    unparsed = sum(any(note.startswith(NOT_PARSED) for note in row.notes) for row in rows)
    is_short = skip_clean and len(rows) > 1
    hidden = (LEFT_OUT, NOT_PARSED) if is_short else (LEFT_OUT,)
    rows = [_drop_notes(row, hidden) for row in rows] if skip_clean else rows
    for row in rows:
        is_clean = not (row.open_issues or row.notes or row.sessions)
        if row.error is None and not (is_short and is_clean):
            yield from format_row(row)
    if len(rows) > 1:
        yield from fit("", format_summary(rows), HANG)
        yield from _describe_fixable(rows)
    if unparsed and is_short:
        yield from fit("", f"Some code of {counted(unparsed, 'unit')} was not parsed; --format full says why.", HANG)
    for note in unasked_notes:
        yield from fit("", note, HANG)
    issues = (issue for row in rows for issue in row.issues if issue.counts and issue.pattern != CUSTOM)
    if worst := min(issues, key=lambda issue: issue.severity.rank, default=None):
        yield click.style(f"To read about a pattern: tune-skill patterns {worst.pattern}", dim=True)


def _describe_fixable(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the command that fixes findings without a model, with the first unit as the example."""
    if fixable := [row for row in rows if row.fixable]:
        count, first = sum(len(row.fixable) for row in fixable), quote_path(str(fixable[0].unit_path))
        units = f" in {counted(len(fixable), 'unit')}" if len(fixable) > 1 else ""
        yield from fit("", f"{counted(count, 'finding')}{units} can be fixed [*]: tune-skill run {first}", HANG)


def _drop_notes(row: Row, beginnings: tuple[str, ...]) -> Row:
    """Return a row without the notes, with one of these beginnings, which only `--format full` shows."""
    return replace(row, notes=tuple(note for note in row.notes if not note.startswith(beginnings)))


def format_summary(rows: Sequence[Row]) -> str:
    """Return a line with the number of units by kind, by the severity of their worst finding, and by failed gate.

    A unit that could not be checked does not count as one without findings.
    """
    readable = [row for row in rows if row.error is None]
    unchecked = sum(bool(row.unchecked) for row in readable)
    kinds = Counter(row.unit.kind if row.unit else UnitKind.SKILL for row in rows)
    units = ", ".join(counted(kinds[kind], _KIND_WORDS.get(kind, kind.value)) for kind in UnitKind if kinds[kind])
    total = f"{counted(len(rows), 'unit')} ({units})" if len(kinds) > 1 else units
    worst = Counter(_find_worst(row) for row in readable if not row.unchecked or row.open_issues)
    parts = [f"{worst[None]:,} without findings"]
    parts += [f"{worst[severity]:,} with {severity.value} findings" for severity in Severity if worst[severity]]
    gates = Counter(row.gate for row in readable)
    parts += [f"gate: {gates[gate]:,} {word}" for gate, word in _GATE_WORDS.items() if gates[gate]]
    if unchecked:
        parts.append(f"{unchecked:,} not checked")
    if len(readable) < len(rows):
        parts.append(f"{len(rows) - len(readable):,} unreadable")
    return f"{total}: {', '.join(parts)}"


def _find_worst(row: Row) -> Severity | None:
    """Return the severity of the worst finding that counts, or None."""
    return min(
        (issue.severity for issue in row.issues if issue.counts), key=lambda severity: severity.rank, default=None
    )
