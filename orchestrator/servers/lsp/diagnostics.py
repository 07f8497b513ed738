"""Findings as diagnostics, and the page of a pattern as what an editor shows beside one."""

import re
from collections.abc import Iterator, Sequence

from lsprotocol import types

from orchestrator.engine.pattern_pages import pattern_page
from orchestrator.errors import one_line
from orchestrator.servers.lsp.look import Look
from schemas.issues import Issue
from schemas.vocabulary import Severity
from templates.filters import counted, prose

SOURCE = "tune-skill"
MOST = 1_000
"""Findings of one skill that are shown, the worst first; editors stop at about as many."""
_PAGES = 3
_SEVERITIES = {
    Severity.CRITICAL: types.DiagnosticSeverity.Error,
    Severity.HIGH: types.DiagnosticSeverity.Error,
    Severity.MEDIUM: types.DiagnosticSeverity.Warning,
    Severity.LOW: types.DiagnosticSeverity.Information,
}
_PLACE = re.compile(r"(.+?):(\d{1,9}): (.*)", re.DOTALL)


def diagnostics(look: Look, *, related: bool) -> dict[str, list[types.Diagnostic]]:
    """Return what is shown of each file with a finding, by its path. related: with further places."""
    found: dict[str, list[types.Diagnostic]] = {}
    for issue in look.issues[:MOST]:
        found.setdefault(issue.location.file, []).append(_diagnostic(look, issue, related=related))
    return found


def notes(look: Look) -> tuple[str, ...]:
    """Return what else is to be told of a skill."""
    left = len(look.issues) - MOST
    more = (f"{counted(left, 'more finding')}, none of them worse: `tune-skill diagnose --format full` shows all",)
    return (*look.row.notes, *(more if left > 0 else ()))


def range_of(look: Look, issue: Issue) -> types.Range:
    """Return where a finding is shown: on its first line, for one may speak of half a file."""
    return look.text(issue.location.file).range_of(issue.location.line_start or 1)


def page_of(issues: Sequence[Issue]) -> str:
    """Return what is said of findings as Markdown, with their patterns' pages; no word of a skill is markup in it."""
    first: dict[str, Issue] = {}
    for issue in issues:
        first.setdefault(issue.pattern, issue)
    return "\n\n---\n\n".join(map(_page, list(first.values())[:_PAGES]))


def _page(issue: Issue) -> str:
    said = f"**{issue.pattern}**, {issue.severity.value}, {issue.known}: {prose(issue.description)}"
    return f"{said}\n\n---\n\n###{pattern_page(issue.pattern)}"  # a small heading: editors show it at full size


def _diagnostic(look: Look, issue: Issue, *, related: bool) -> types.Diagnostic:
    return types.Diagnostic(
        range=range_of(look, issue),
        message=one_line(issue.description),
        severity=_SEVERITIES[issue.severity],
        code=issue.pattern,
        source=SOURCE,
        related_information=list(_related(look, issue)) or None if related else None,
    )


def _related(look: Look, issue: Issue) -> Iterator[types.DiagnosticRelatedInformation]:
    """Return the further places of a finding, and the findings of the same cause."""
    for place in issue.evidence[1:]:
        match = _PLACE.fullmatch(place)
        if match and match[1] in look.case.skill.by_path:
            yield _place(look, match[1], int(match[2]), match[3])
    for other in look.row.issues:
        if other.id in issue.related_issues:
            yield _place(look, other.location.file, other.location.line_start or 1, other.description)


def _place(look: Look, path: str, line: int, said: str) -> types.DiagnosticRelatedInformation:
    at = types.Location(look.subject.uri(path), look.text(path).range_of(line))
    return types.DiagnosticRelatedInformation(at, one_line(said))
