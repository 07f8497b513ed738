"""What recorded sessions show, as text for a terminal."""

from collections.abc import Iterator, Sequence

import click

from orchestrator.cli.output.text import safe, severity_mark
from orchestrator.cli.output.wrap import cut, fitted
from schemas.issues import Issue
from schemas.sessions import SessionSeen
from schemas.vocabulary import IssueStatus
from templates.filters import counted

_QUOTED = 160


def given_sessions(given: Sequence[str], *, no_sessions: bool) -> tuple[str, ...]:
    """Give the absolute paths of `--sessions`. Raises BadInput for a path where there is no session."""
    if given and no_sessions:
        raise click.UsageError("--sessions and --no-sessions exclude each other; give one")
    if not given:
        return ()
    from orchestrator.engine.recorded_sessions import session_files
    from orchestrator.fs.home import parse_path

    for path in given:
        session_files(path)
    return tuple(str(parse_path(path).absolute()) for path in given)


def evidence_lines(sessions: Sequence[SessionSeen], issues: Sequence[Issue]) -> Iterator[str]:
    """Give a small table of the sessions and what they show beside the findings; nothing without sessions."""
    if not sessions:
        return
    from actions.evidence.issues import format_unknown_rate

    yield click.style(f"Sessions ({len(sessions)})", bold=True) + f"  {format_unknown_rate(sessions)}"
    for row in sessions:
        found = ", ".join(row.found) or "nothing found"
        compactions = counted(row.compactions, "compaction")
        spent = counted(row.tokens, "token")
        head = f"  {safe(row.id)[:8]:10}{row.date or 'no date':12}{row.type:15}{spent:18}{compactions:15}"
        yield from fitted(head, safe(found), 4)
    for issue in issues:
        if issue.is_from_session and issue.status is IssueStatus.OPEN:
            yield from _shown(issue, len(sessions))


def _shown(issue: Issue, total: int) -> Iterator[str]:
    at = issue.location
    place = f"{safe(at.file)}:{at.line_start}  " if at.line_start else ""
    count = f"in {issue.sessions} of {counted(total, 'session')}"
    head = f"  {severity_mark(issue.severity)}  {issue.pattern} {count}  {issue.grade}"
    yield from fitted(f"{head}  ", f"{place}{safe(issue.description)}", 4)
    if issue.read_by:
        yield from fitted("    ", safe(f"{issue.known}: {issue.read_by.reason}"))
    yield from (click.style(f"    | {cut(safe(text), _QUOTED)}", dim=True) for text in issue.evidence)
