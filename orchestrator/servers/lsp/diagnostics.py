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
"""Maximum number of diagnostics per unit, one for each place of a finding. More would slow down editors."""
_MAX_RELATED = 10
"""Maximum number of other places that a diagnostic lists.

The same limit applies to the lines that support the finding, and to findings with the same cause.
"""
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
    """Return the diagnostics of each file, by URI. related: whether to include related information (other places)."""
    diagnostics: dict[str, list[types.Diagnostic]] = {}
    remaining = MAX_DIAGNOSTICS
    for issue in snapshot.issues:
        places = list_places(issue)
        others = _OtherPlaces(snapshot, issue, places) if related and remaining > 0 else None
        for place in places[: max(remaining, 0)]:
            diagnostic = _make_diagnostic(snapshot, issue, place, others.list_except(place) if others else [])
            diagnostics.setdefault(snapshot.uri(place.file), []).append(diagnostic)
        remaining -= len(places)
    return diagnostics


def list_notes(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the notes on a unit. If some diagnostics are not shown, the last note says how many."""
    hidden = sum(len(list_places(issue)) for issue in snapshot.issues) - MAX_DIAGNOSTICS
    if hidden <= 0:
        return snapshot.row.notes
    note = f"{counted(hidden, 'more place')} of findings not shown; `tune-skill diagnose --format full` lists all"
    return (*snapshot.row.notes, note)


def list_places(issue: Issue) -> Sequence[Place]:
    """Return the places of a finding, at most one for each line."""
    by_line: dict[tuple[str, int | None], Place] = {}
    for place in issue.places:
        by_line.setdefault((place.file, place.line_start), place)
    return [*by_line.values()]


def get_range(snapshot: Snapshot, place: Location) -> types.Range:
    """Return the range of the first line of a place. (The whole place could be half a file.)"""
    return snapshot.text(place.file).get_range(place.line_start or 1)


def render_pages(issues: Sequence[Issue]) -> str:
    """Render findings as Markdown: the first finding of each pattern, followed by the page of the pattern.

    Escapes text from the skill.
    """
    by_pattern: dict[str, Issue] = {}
    for issue in issues:
        by_pattern.setdefault(issue.pattern, issue)
    return "\n\n---\n\n".join(map(_render_page, list(by_pattern.values())[:_MAX_PAGES]))


def _render_page(issue: Issue) -> str:
    heading = f"**{issue.pattern}**, {issue.severity.value}, {issue.how_known}: {prose(issue.description)}"
    page = f"###{render_pattern_page(issue.pattern)}"  # lower headings, because editors render higher ones too large
    return f"{heading}\n\n---\n\n{page}"


def _make_diagnostic(
    snapshot: Snapshot, issue: Issue, place: Place, others: list[types.DiagnosticRelatedInformation]
) -> types.Diagnostic:
    return types.Diagnostic(
        range=get_range(snapshot, place),
        message=one_line(issue.description),
        severity=types.DiagnosticSeverity.Hint if issue.is_from_session else _SEVERITIES[issue.severity],
        code=issue.pattern,
        source=SOURCE,
        related_information=others or None,
    )


class _OtherPlaces:
    """The related information of a finding, at most _MAX_RELATED entries of each kind.

    The kinds are other places of the finding, lines that support it, and findings with the same cause.
    """

    def __init__(self, snapshot: Snapshot, issue: Issue, places: Sequence[Place]) -> None:
        shown_places = (place for place in places if snapshot.has(place.file))
        self._places = [
            ((place.file, place.line_start), _make_related(snapshot, place.file, place.line_start or 1, place.quote))
            for place in islice(shown_places, _MAX_RELATED + 1)
        ]
        self._for_every_place = [*islice(_list_support(snapshot, issue), _MAX_RELATED)]
        ids = frozenset(issue.related_issues)
        related_issues = (other for other in snapshot.row.issues if other.id in ids) if ids else ()
        for other in islice(related_issues, _MAX_RELATED):
            location = other.location
            self._for_every_place.append(
                _make_related(snapshot, location.file, location.line_start or 1, other.description)
            )

    def list_except(self, place: Place) -> list[types.DiagnosticRelatedInformation]:
        """Return the related information for the diagnostic at `place`, without that place itself."""
        others = [related for position, related in self._places if position != (place.file, place.line_start)]
        return [*others[:_MAX_RELATED], *self._for_every_place]


def _list_support(snapshot: Snapshot, issue: Issue) -> Iterator[types.DiagnosticRelatedInformation]:
    for text in issue.further_evidence:
        match = _SUPPORT_LINE.fullmatch(text)
        if match and snapshot.has(match[1]):
            yield _make_related(snapshot, match[1], int(match[2]), match[3])


def _make_related(snapshot: Snapshot, path: str, line: int, message: str) -> types.DiagnosticRelatedInformation:
    location = types.Location(snapshot.uri(path), snapshot.text(path).get_range(line))
    return types.DiagnosticRelatedInformation(location, one_line(message))
