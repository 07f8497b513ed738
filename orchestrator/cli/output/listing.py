"""A diagnosis as text for a terminal: the worst first, one heading per pattern, each place with its line."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import click

from actions.patterns.page import CUSTOM, find_page
from actions.review.verdicts import rejected
from orchestrator.cli.output.concise import HANG, concise, is_silent
from orchestrator.cli.output.evidence import evidence_lines
from orchestrator.cli.output.text import cost_line, gate_line, safe, severity_mark, tokens_line
from orchestrator.cli.output.wrap import columns, cut, fitted, wrapped
from orchestrator.engine.rows import Row, split_shared_notes
from schemas.issues import Issue
from schemas.vocabulary import Gate, IssueStatus
from templates.filters import counted

_QUOTED = 5
_MORE = 3
"""Places of one pattern shown with their line, and further places of one finding; the rest is named only."""


def shown(rows: Sequence[Row], *, full: bool) -> None:
    """Print rows on stdout."""
    wide = columns()
    rows, left = split_shared_notes(rows)
    for row in rows:
        if row.error is None and (full or len(rows) == 1 or not is_silent(row)):
            click.echo("\n".join((*listing(row, wide), "") if full else concise(row)))
    if len(rows) > 1:
        click.echo(summary(rows))
    opened = (i for row in rows for i in row.issues if i.counts)
    for note in left:
        for line in fitted("", note, HANG):
            click.echo(line)
    pattern = next((i.pattern for i in opened if i.pattern != CUSTOM), "")
    if pattern:
        click.echo(click.style(f"More on a finding: tune-skill patterns {pattern}", dim=True))


def listing(row: Row, limit: int) -> Iterator[str]:
    """Give the lines that tell of one skill."""
    opened = [issue for issue in row.issues if issue.counts]
    yield f"{click.style(safe(row.name), bold=True)}  {gate_line(row.score, row.gate, row.issues)}"
    yield click.style(safe(row.path), dim=True)
    yield from _wrapped_all([tokens_line(row.tokens)], limit)
    for _, group in groupby(sorted(opened, key=_by_pattern), _by_pattern):
        yield ""
        yield from _pattern(list(group), limit)
    overruled = rejected(row.issues)
    if overruled:
        yield ""
        yield click.style("Rejected by the judge (not counted)", bold=True)
        yield from (f"  {line}" for issue in overruled for line in _overruled(issue, limit - 2))
    if row.sessions:
        yield ""
        yield from evidence_lines(row.sessions, row.issues)
    yield from _rest(row, limit)


def summary(rows: Sequence[Row]) -> str:
    """Give how many skills pass, in one line."""
    gates = Counter(row.gate for row in rows if row.error is None)
    failed = sum(row.error is not None for row in rows)
    told = [f"{gates[gate]} {word}" for gate, word in _GATES.items() if gates[gate]]
    return f"{counted(len(rows), 'skill')}: {', '.join(told + ([f'{failed} unreadable'] if failed else []))}"


_GATES = {Gate.PASS: "pass", Gate.REVIEW: "to review", Gate.FAIL: "fail"}


def _by_pattern(issue: Issue) -> tuple[int, str, str]:
    return issue.severity.rank, issue.pattern, issue.grade


def _pattern(issues: list[Issue], limit: int) -> Iterator[str]:
    """Give a pattern's heading, what it says, the places, and what to do instead."""
    first = issues[0]
    told = find_page(first.pattern)
    count = f", {len(issues)} places" if len(issues) > 1 else ""
    title = click.style(f"{first.pattern}  {told['title']}", bold=True)
    yield from fitted(f"{severity_mark(first.severity)}  ", f"{title}  ({first.grade}{count})", HANG)
    for message, group in groupby(issues, lambda issue: issue.description):
        yield from (f"  {line}" for line in wrapped(safe(message), limit - 2))
        yield from _places(list(group), limit)
    yield from _labelled("Instead", told["Instead"], limit)


def _places(issues: list[Issue], limit: int) -> Iterator[str]:
    for issue in issues[:_QUOTED]:
        yield f"    {click.style(place(issue), fg='cyan')}"
        if issue.evidence and issue.evidence[0]:
            yield f"      {click.style('|', dim=True)} {cut(safe(issue.evidence[0]), limit - 8)}"
        for more in issue.evidence[1 : 1 + _MORE]:
            yield click.style(f"      + {cut(safe(more), limit - 8)}", dim=True)
        if len(issue.evidence) > 1 + _MORE:
            yield click.style(f"      + {len(issue.evidence) - 1 - _MORE} more", dim=True)
        if issue.read_by:
            yield from (f"      {line}" for line in wrapped(safe(f"{issue.known}: {issue.read_by.reason}"), limit - 6))
    rest = ", ".join(map(place, issues[_QUOTED:]))
    yield from (f"    {line}" for line in wrapped(f"and {rest}" if rest else "", limit - 4))


def place(issue: Issue) -> str:
    """Give `file:line`, which terminals and editors can open."""
    at = issue.location
    return f"{safe(at.file)}:{at.line_start}" if at.line_start else safe(at.file)


def _overruled(issue: Issue, limit: int) -> Iterator[str]:
    yield cut(f"{place(issue)}  {issue.pattern}  {safe(issue.description)}", limit)
    if issue.verdict:
        yield from _labelled(f"{issue.verdict.word} by {issue.verdict.by}", issue.verdict.why, limit)


def _labelled(label: str, text: str, limit: int) -> Iterator[str]:
    lines = wrapped(f"{label}: {safe(text)}", limit - 2)
    yield from (f"  {click.style(line, fg='green')}" for line in lines)


def _judge(row: Row) -> str:
    cache = f"; {row.cost.from_cache}" if row.cost.from_cache else ""
    return f"judge: {safe(row.judge or '')}, {cost_line(row.cost)}{cache}"


def _rest(row: Row, limit: int) -> Iterator[str]:
    hidden = [i.suppressed_by or "" for i in row.issues if i.status is IssueStatus.SUPPRESSED]
    told = Counter("covered by another finding" if by.startswith("ISS-") else by for by in hidden)
    lines = [f"suppressed: {count} ({safe(by)})" for by, count in told.items()]
    notes = [*lines, *([_judge(row)] if row.judge else []), *(f"note: {safe(note)}" for note in row.notes)]
    if notes:
        yield ""
        yield from _wrapped_all(notes, limit)


def _wrapped_all(texts: Iterable[str], limit: int) -> Iterator[str]:
    for text in texts:
        yield from (click.style(line, dim=True) for line in wrapped(text, limit))
