"""Convert findings to diagnostics, and the pages of their patterns to hover text."""

import re
from collections.abc import Iterable, Iterator, Sequence

from lsprotocol import types

from actions.regex import regex
from orchestrator.engine.pattern_pages import render_pattern_page
from orchestrator.errors import one_line
from orchestrator.servers.lsp.snapshot import Snapshot
from schemas.issues import Issue, Location, Place
from schemas.vocabulary import Severity
from templates.filters import counted, prose

SOURCE = "tune-skill"
MAX_FINDINGS = 1_000
"""Maximum number of findings shown per unit, worst first; more would slow down editors."""
_MAX_PAGES = 3
"""Maximum number of pattern pages in one hover."""
_SEVERITIES = {
    Severity.CRITICAL: types.DiagnosticSeverity.Error,
    Severity.HIGH: types.DiagnosticSeverity.Error,
    Severity.MEDIUM: types.DiagnosticSeverity.Warning,
    Severity.LOW: types.DiagnosticSeverity.Information,
}
_SUPPORT = regex(r"(.+?):(\d{1,9}): (.*)", re.DOTALL)


def list_diagnostics(snapshot: Snapshot, *, related: bool) -> dict[str, list[types.Diagnostic]]:
    """Return the diagnostics of each file, by URI. related: include other places as related information."""
    diagnostics: dict[str, list[types.Diagnostic]] = {}
    for issue in snapshot.issues[:MAX_FINDINGS]:
        for place in list_places(issue):
            diagnostic = _make_diagnostic(snapshot, issue, place, related=related)
            diagnostics.setdefault(snapshot.uri(place.file), []).append(diagnostic)
    return diagnostics


def list_notes(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the notes on a unit, including a note on the number of findings that are not shown."""
    rest = len(snapshot.issues) - MAX_FINDINGS
    more = (f"{counted(rest, 'more finding')}, none of them worse; `tune-skill diagnose --format full` shows all",)
    return (*snapshot.row.notes, *(more if rest > 0 else ()))


def list_places(issue: Issue) -> Iterable[Place]:
    """Return the places of a finding, at most one per line."""
    by_line: dict[tuple[str, int | None], Place] = {}
    for place in issue.places:
        by_line.setdefault((place.file, place.line_start), place)
    return by_line.values()


def get_range(snapshot: Snapshot, place: Location) -> types.Range:
    """Return the range of the first line of a place, because a finding may span half a file."""
    return snapshot.text(place.file).get_range(place.line_start or 1)


def render_pages(issues: Sequence[Issue]) -> str:
    """Render one finding per pattern, with the pattern's page, as Markdown; text from the skill is escaped."""
    by_pattern: dict[str, Issue] = {}
    for issue in issues:
        by_pattern.setdefault(issue.pattern, issue)
    return "\n\n---\n\n".join(map(_render_page, list(by_pattern.values())[:_MAX_PAGES]))


def _render_page(issue: Issue) -> str:
    heading = f"**{issue.pattern}**, {issue.severity.value}, {issue.how_known}: {prose(issue.description)}"
    return (
        # a level-3 heading, because editors render higher levels too large
        f"{heading}\n\n---\n\n###{render_pattern_page(issue.pattern)}"
    )


def _make_diagnostic(snapshot: Snapshot, issue: Issue, at: Place, *, related: bool) -> types.Diagnostic:
    return types.Diagnostic(
        range=get_range(snapshot, at),
        message=one_line(issue.description),
        severity=types.DiagnosticSeverity.Hint if issue.is_from_session else _SEVERITIES[issue.severity],
        code=issue.pattern,
        source=SOURCE,
        related_information=list(_list_related(snapshot, issue, at)) or None if related else None,
    )


def _list_related(snapshot: Snapshot, issue: Issue, at: Place) -> Iterator[types.DiagnosticRelatedInformation]:
    """Yield the other places of a finding, its support, and the findings with the same cause."""
    for place in list_places(issue):
        if (place.file, place.line_start) != (at.file, at.line_start) and snapshot.has(place.file):
            yield _make_related(snapshot, place.file, place.line_start or 1, place.quote)
    for text in issue.support:
        match = _SUPPORT.fullmatch(text)
        if match and snapshot.has(match[1]):
            yield _make_related(snapshot, match[1], int(match[2]), match[3])
    for other in snapshot.row.issues:
        if other.id in issue.related_issues:
            yield _make_related(snapshot, other.location.file, other.location.line_start or 1, other.description)


def _make_related(snapshot: Snapshot, path: str, line: int, message: str) -> types.DiagnosticRelatedInformation:
    at = types.Location(snapshot.uri(path), snapshot.text(path).get_range(line))
    return types.DiagnosticRelatedInformation(at, one_line(message))
