"""Convert findings to diagnostics, and the pages of their patterns to hover text."""

import re
from collections.abc import Iterable, Iterator, Sequence

from lsprotocol import types

from orchestrator.engine.pattern_pages import pattern_page
from orchestrator.errors import one_line
from orchestrator.servers.lsp.snapshot import Snapshot
from schemas.issues import Issue, Location, Place
from schemas.vocabulary import Severity
from templates.filters import counted, prose

SOURCE = "tune-skill"
MOST = 1_000
"""The most findings of one unit that are shown, the worst first; editors show about as many."""
_PAGES = 3
_SEVERITIES = {
    Severity.CRITICAL: types.DiagnosticSeverity.Error,
    Severity.HIGH: types.DiagnosticSeverity.Error,
    Severity.MEDIUM: types.DiagnosticSeverity.Warning,
    Severity.LOW: types.DiagnosticSeverity.Information,
}
_PLACE = re.compile(r"(.+?):(\d{1,9}): (.*)", re.DOTALL)


def list_diagnostics(seen: Snapshot, *, related: bool) -> dict[str, list[types.Diagnostic]]:
    """Return the diagnostics of each file with a finding, by its URI. related: include further places."""
    found: dict[str, list[types.Diagnostic]] = {}
    for issue in seen.issues[:MOST]:
        for place in list_lines(issue):
            one = _make_diagnostic(seen, issue, place, related=related)
            found.setdefault(seen.uri(place.file), []).append(one)
    return found


def list_notes(seen: Snapshot) -> tuple[str, ...]:
    """Return the notes on a unit."""
    left = len(seen.issues) - MOST
    more = (f"{counted(left, 'more finding')}, none of them worse; `tune-skill diagnose --format full` shows all",)
    return (*seen.row.notes, *(more if left > 0 else ()))


def list_lines(issue: Issue) -> Iterable[Place]:
    """Return the places of a finding, one for each line."""
    lines: dict[tuple[str, int | None], Place] = {}
    for place in issue.places:
        lines.setdefault((place.file, place.line_start), place)
    return lines.values()


def range_of(seen: Snapshot, place: Location) -> types.Range:
    """Return where a finding is shown at a place: on its first line only, as it may span half a file."""
    return seen.text(place.file).range_of(place.line_start or 1)


def render_pages(issues: Sequence[Issue]) -> str:
    """Render findings and the pages of their patterns as Markdown, with the skill's own words escaped."""
    first: dict[str, Issue] = {}
    for issue in issues:
        first.setdefault(issue.pattern, issue)
    return "\n\n---\n\n".join(map(_render_page, list(first.values())[:_PAGES]))


def _render_page(issue: Issue) -> str:
    heading = f"**{issue.pattern}**, {issue.severity.value}, {issue.how_known}: {prose(issue.description)}"
    return (
        f"{heading}\n\n---\n\n###{pattern_page(issue.pattern)}"  # a level-3 heading: editors show larger ones too large
    )


def _make_diagnostic(seen: Snapshot, issue: Issue, at: Place, *, related: bool) -> types.Diagnostic:
    return types.Diagnostic(
        range=range_of(seen, at),
        message=one_line(issue.description),
        severity=types.DiagnosticSeverity.Hint if issue.is_from_session else _SEVERITIES[issue.severity],
        code=issue.pattern,
        source=SOURCE,
        related_information=list(_list_related(seen, issue, at)) or None if related else None,
    )


def _list_related(seen: Snapshot, issue: Issue, at: Place) -> Iterator[types.DiagnosticRelatedInformation]:
    """Yield the other places of a finding than this one, and the findings with the same cause."""
    for place in list_lines(issue):
        if (place.file, place.line_start) != (at.file, at.line_start) and seen.has(place.file):
            yield _make_related(seen, place.file, place.line_start or 1, place.quote)
    for text in issue.support:
        match = _PLACE.fullmatch(text)
        if match and seen.has(match[1]):
            yield _make_related(seen, match[1], int(match[2]), match[3])
    for other in seen.row.issues:
        if other.id in issue.related_issues:
            yield _make_related(seen, other.location.file, other.location.line_start or 1, other.description)


def _make_related(seen: Snapshot, path: str, line: int, message: str) -> types.DiagnosticRelatedInformation:
    at = types.Location(seen.uri(path), seen.text(path).range_of(line))
    return types.DiagnosticRelatedInformation(at, one_line(message))
