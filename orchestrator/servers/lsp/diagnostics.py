"""Convert findings to diagnostics, and the pages of their patterns to hover text."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from lsprotocol import types

from actions.regex import regex
from orchestrator.engine.pattern_pages import render_pattern_page
from orchestrator.errors import one_line
from orchestrator.servers.lsp.snapshot import Snapshot
from schemas.issues import Issue, Location, Place
from schemas.vocabulary import Severity
from templates.filters import counted, prose

SOURCE = "tune-skill"
MAX_DIAGNOSTICS = 1_000
"""Maximum number of places of findings shown per unit, worst first; more would slow down editors."""
_MAX_RELATED = 10
"""Maximum number of other places, supports and findings with the same cause that one diagnostic names, each."""
_MAX_PAGES = 3
"""Maximum number of pattern pages in one hover."""
_SEVERITIES = {
    Severity.CRITICAL: types.DiagnosticSeverity.Error,
    Severity.HIGH: types.DiagnosticSeverity.Error,
    Severity.MEDIUM: types.DiagnosticSeverity.Warning,
    Severity.LOW: types.DiagnosticSeverity.Information,
}
_SUPPORT_LINE = regex(r"(.+?):(\d{1,9}): (.*)", re.DOTALL)


def list_diagnostics(snapshot: Snapshot, *, related: bool) -> dict[str, list[types.Diagnostic]]:
    """Return the diagnostics of each file, by URI. related: include other places as related information."""
    diagnostics: dict[str, list[types.Diagnostic]] = {}
    room = MAX_DIAGNOSTICS
    for issue in snapshot.issues:
        places = list_places(issue)
        others = _OtherPlaces(snapshot, issue, places) if related and room > 0 else None
        for place in places[: max(room, 0)]:
            diagnostic = _make_diagnostic(snapshot, issue, place, others.list_beside(place) if others else [])
            diagnostics.setdefault(snapshot.uri(place.file), []).append(diagnostic)
        room -= len(places)
    return diagnostics


def list_notes(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the notes on a unit, including a note on the number of places of findings that are not shown."""
    rest = sum(len(list_places(issue)) for issue in snapshot.issues) - MAX_DIAGNOSTICS
    more = (f"findings at {counted(rest, 'more place')}, none worse; `tune-skill diagnose --format full` shows all",)
    return (*snapshot.row.notes, *(more if rest > 0 else ()))


def list_places(issue: Issue) -> Sequence[Place]:
    """Return the places of a finding, at most one per line."""
    by_line: dict[tuple[str, int | None], Place] = {}
    for place in issue.places:
        by_line.setdefault((place.file, place.line_start), place)
    return [*by_line.values()]


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


def _make_diagnostic(
    snapshot: Snapshot, issue: Issue, at: Place, others: list[types.DiagnosticRelatedInformation]
) -> types.Diagnostic:
    return types.Diagnostic(
        range=get_range(snapshot, at),
        message=one_line(issue.description),
        severity=types.DiagnosticSeverity.Hint if issue.is_from_session else _SEVERITIES[issue.severity],
        code=issue.pattern,
        source=SOURCE,
        related_information=others or None,
    )


class _OtherPlaces:
    """The first other places of a finding, its support, and the findings with the same cause."""

    def __init__(self, snapshot: Snapshot, issue: Issue, places: Sequence[Place]) -> None:
        found = (place for place in places if snapshot.has(place.file))
        self._places = [
            ((place.file, place.line_start), _make_related(snapshot, place.file, place.line_start or 1, place.quote))
            for place in islice(found, _MAX_RELATED + 1)
        ]
        self._more = [*islice(_list_support(snapshot, issue), _MAX_RELATED)]
        ids = frozenset(issue.related_issues)
        for other in islice((one for one in snapshot.row.issues if one.id in ids) if ids else (), _MAX_RELATED):
            at = other.location
            self._more.append(_make_related(snapshot, at.file, at.line_start or 1, other.description))

    def list_beside(self, at: Place) -> list[types.DiagnosticRelatedInformation]:
        """Return the related information of the diagnostic at a place."""
        others = [related for place, related in self._places if place != (at.file, at.line_start)]
        return [*others[:_MAX_RELATED], *self._more]


def _list_support(snapshot: Snapshot, issue: Issue) -> Iterator[types.DiagnosticRelatedInformation]:
    for text in issue.support:
        match = _SUPPORT_LINE.fullmatch(text)
        if match and snapshot.has(match[1]):
            yield _make_related(snapshot, match[1], int(match[2]), match[3])


def _make_related(snapshot: Snapshot, path: str, line: int, message: str) -> types.DiagnosticRelatedInformation:
    at = types.Location(snapshot.uri(path), snapshot.text(path).get_range(line))
    return types.DiagnosticRelatedInformation(at, one_line(message))
