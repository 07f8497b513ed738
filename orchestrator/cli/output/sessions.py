"""Format the recorded sessions of a diagnosis, for a terminal."""

from collections.abc import Iterator, Sequence

import click

from orchestrator.cli.output.text import format_severity, safe
from orchestrator.cli.output.wrap import cut, fit
from schemas.issues import Issue
from schemas.sessions import SessionRecord
from schemas.vocabulary import IssueStatus
from templates.filters import counted

_MAX_COLUMNS = 160
"""Maximum width of a quote, in columns."""


def format_sessions(sessions: Sequence[SessionRecord], issues: Sequence[Issue]) -> Iterator[str]:
    """Yield a table of the sessions, and the issues that only sessions show. Yields nothing without sessions."""
    if not sessions:
        return
    from actions.evidence.issues import format_unknown_rate
    from actions.session.names import name_sessions

    yield click.style(f"Sessions ({len(sessions)})", bold=True) + f"  {format_unknown_rate(sessions)}"
    names = name_sessions(row.id for row in sessions)
    longest = max(map(len, names.values()))
    for row in sessions:
        date = safe(row.date) or "no date"
        found = ", ".join(row.found) or "nothing found"
        compactions = counted(row.compactions, "compaction")
        tokens = counted(row.tokens, "token")
        head = f"  {safe(names[row.id]):{longest + 2}}{date:12}{safe(row.type):15}{tokens:18}{compactions:15}"
        yield from fit(head, safe(found), 4)
    for issue in issues:
        if issue.is_about_session and issue.status is IssueStatus.OPEN:
            yield from _format_issue(issue, len(sessions))


def _format_issue(issue: Issue, total: int) -> Iterator[str]:
    at = issue.location
    place = f"{safe(at.file)}:{at.line_start}  " if at.line_start else ""
    count = f"in {issue.sessions} of {counted(total, 'session')}"
    head = f"  {format_severity(issue.severity)}  {issue.pattern} {count}  {issue.grade}"
    yield from fit(f"{head}  ", f"{place}{safe(issue.description)}", 4)
    if issue.read_by:
        yield from fit("    ", safe(f"{issue.how_known}: {issue.read_by.explanation}"))
    yield from (click.style(f"    | {cut(safe(text), _MAX_COLUMNS)}", dim=True) for text in issue.evidence)
