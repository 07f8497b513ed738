"""Format one skill of a diagnosis with all details. The worst pattern is first, and each place has its line."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import click

from actions.patterns.page import find_page
from actions.review.scan_notes import list_rejected_issues
from orchestrator.cli.output.issue_lines import HANG
from orchestrator.cli.output.sessions import format_sessions
from orchestrator.cli.output.text import format_cost, format_gate_line, format_severity, format_tokens, safe
from orchestrator.cli.output.wrap import cut, fit, get_output_width, wrap
from orchestrator.engine.rows import Row
from schemas.issues import Issue, Location, Tokens
from schemas.vocabulary import IssueStatus

_MAX_PLACES = 5
"""Maximum number of places of one finding that are shown with their line."""
_MAX_SUPPORT = 3
"""Maximum number of supporting lines of one finding."""


def format_row(row: Row) -> Iterator[str]:
    """Yield the lines of one skill, and an empty line at the end."""
    limit = get_output_width()
    yield f"{click.style(safe(row.name), bold=True)}  {format_gate_line(row.score, row.gate, row.issues)}"
    yield click.style(safe(f"{row.unit.kind} {row.unit_path}" if row.unit else row.path), dim=True)
    yield from _wrap_all([format_tokens(row.tokens)] if row.tokens != Tokens() else [], limit)
    issues = sorted((issue for issue in row.issues if issue.counts), key=_get_sort_key)
    for _, group in groupby(issues, _get_sort_key):
        yield ""
        yield from _format_pattern(list(group), limit)
    rejected = list_rejected_issues(row.issues)
    if rejected:
        yield ""
        yield click.style("Rejected by the judge (not counted)", bold=True)
        yield from (f"  {line}" for issue in rejected for line in _format_rejected(issue, limit - 2))
    if row.sessions:
        yield ""
        yield from format_sessions(row.sessions, row.issues)
    if notes := list(_format_notes(row)):
        yield ""
        yield from _wrap_all(notes, limit)
    yield ""


def _get_sort_key(issue: Issue) -> tuple[int, str, str]:
    return issue.severity.rank, issue.pattern, issue.grade


def _format_pattern(issues: list[Issue], limit: int) -> Iterator[str]:
    """Yield the heading of a pattern, its findings with their places, and what to do instead."""
    first = issues[0]
    page = find_page(first.pattern)
    places = sum(len(issue.places) for issue in issues)
    count = f", {places:,} places" if places > 1 else ""
    title = click.style(f"{first.pattern}  {page['title']}", bold=True)
    yield from fit(f"{format_severity(first.severity)}  ", f"{title}  ({first.grade}{count})", HANG)
    for message, group in groupby(issues, lambda issue: issue.description):
        yield from (f"  {line}" for line in wrap(safe(message), limit - 2))
        yield from _format_issues(list(group), limit)
    yield from _format_label("Instead", page["Instead"], limit)


def _format_issues(issues: Sequence[Issue], limit: int) -> Iterator[str]:
    """Yield the places of issues with the same message: the first ones with their text, the others as a list."""
    places = [(issue, place) for issue in issues for place in issue.places]
    for issue, place in places[:_MAX_PLACES]:
        yield f"    {click.style(_format_place(place), fg='cyan')}"
        if place.quote:
            yield f"      {click.style('|', dim=True)} {cut(safe(place.quote), limit - 8)}"
        if place == issue.places[min(len(issue.places), _MAX_PLACES) - 1]:
            yield from _format_support(issue, limit)
    rest = ", ".join(_format_place(place) for _, place in places[_MAX_PLACES:])
    yield from (f"    {line}" for line in wrap(f"and {rest}" if rest else "", limit - 4))


def _format_support(issue: Issue, limit: int) -> Iterator[str]:
    yield from (
        click.style(f"      + {cut(safe(more), limit - 8)}", dim=True) for more in issue.further_evidence[:_MAX_SUPPORT]
    )
    if len(issue.further_evidence) > _MAX_SUPPORT:
        yield click.style(f"      + {len(issue.further_evidence) - _MAX_SUPPORT} more", dim=True)
    if issue.read_by:
        yield from (
            f"      {line}" for line in wrap(safe(f"{issue.how_known}: {issue.read_by.explanation}"), limit - 6)
        )


def _format_place(place: Location) -> str:
    """Return `file:line`, which terminals and editors can open, or `file` if the place is the whole file."""
    return f"{safe(place.file)}:{place.line_start}" if place.line_start else safe(place.file)


def _format_rejected(issue: Issue, limit: int) -> Iterator[str]:
    yield cut(f"{_format_place(issue.location)}  {issue.pattern}  {safe(issue.description)}", limit)
    if issue.verdict:
        yield from _format_label(f"{issue.verdict.word} by {issue.verdict.by}", issue.verdict.why, limit)


def _format_label(label: str, text: str, limit: int) -> Iterator[str]:
    return (f"  {click.style(line, fg='green')}" for line in wrap(f"{label}: {safe(text)}", limit - 2))


def _format_notes(row: Row) -> Iterator[str]:
    reasons = [issue.suppressed_by or "" for issue in row.issues if issue.status is IssueStatus.SUPPRESSED]
    counts = Counter("covered by another finding" if reason.startswith("ISS-") else reason for reason in reasons)
    yield from (f"suppressed: {count} ({safe(reason)})" for reason, count in counts.items())
    if row.judge:
        cache = f"; {row.cost.from_cache}" if row.cost.from_cache else ""
        yield f"judge: {safe(row.judge)}, {format_cost(row.cost)}{cache}"
    yield from (f"note: {safe(note)}" for note in row.notes)


def _wrap_all(texts: Iterable[str], limit: int) -> Iterator[str]:
    return (click.style(line, dim=True) for text in texts for line in wrap(text, limit))
