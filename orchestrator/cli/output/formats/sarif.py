"""Print SARIF 2.1.0, for code scanning services and editors."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import msgspec

from orchestrator.cli.output.registry import Format
from orchestrator.cli.output.results import Diagnosis, RunReport
from orchestrator.cli.output.text import json_text
from schemas.issues import Issue, Place
from schemas.vocabulary import IssueStatus, Severity

if TYPE_CHECKING:
    from actions.patterns.pattern import PatternModule
    from orchestrator.engine.rows import Row

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.CRITICAL: "error", Severity.HIGH: "error", Severity.MEDIUM: "warning", Severity.LOW: "note"}
_MAX_RESULTS, _MAX_PLACES = 25_000, 1_000
"""Maximum number of results per run, and of places per result. GitHub's code scanning refuses larger logs."""
_MAX_LINKS = 5
"""Maximum number of other places that the message of a result links to."""


class Subject(msgspec.Struct, frozen=True):
    """A unit in a SARIF log.

    base: the name of a base folder. folder: the unit's folder relative to the base, with `/`; "" means the base
    itself. error: why the unit was not read or not checked.
    """

    base: str
    folder: str
    issues: Sequence[Issue] = ()
    notes: Sequence[str] = ()
    error: str | None = None
    name: str = ""


class ReportedIssue(NamedTuple):
    """A reported issue and its unit."""

    subject: Subject
    issue: Issue


def format_diagnosis(result: Diagnosis) -> bytes:
    """Return the findings of a diagnosis."""
    return json_text(_build_rows_log(result.rows))


def format_report(result: RunReport) -> bytes:
    """Return the remaining findings of a run."""
    from orchestrator.engine.rows import build_run_row

    return json_text(_build_rows_log([build_run_row(result.store.state)]))


def _build_rows_log(rows: "Sequence[Row]") -> dict[str, Any]:
    """Return the log of several units. Paths are relative to the project, or to the unit if it is outside."""
    from orchestrator.project.settings import get_current_project
    from orchestrator.version import version

    project = get_current_project().resolve()
    bases: dict[str, str] = {}
    subjects = []
    for number, row in enumerate(rows, 1):
        root = Path(row.path).resolve()
        is_inside = root.is_relative_to(project)
        name = "PROJECT" if is_inside else f"SKILL-{number}"
        bases[name] = f"{(project if is_inside else root).as_uri()}/"
        folder = root.relative_to(project).as_posix() if is_inside else "."
        subjects.append(
            Subject(
                name,
                "" if folder == "." else folder,
                row.issues,
                [note for note in row.notes if note != row.unchecked],
                row.error or row.unchecked or None,
                row.unit.path if row.unit else "",
            )
        )
    return build_log(version(), bases, subjects)


def build_log(version: str, bases: Mapping[str, str], subjects: Sequence[Subject]) -> dict[str, Any]:
    """Return a SARIF log. bases: the absolute `file:///…/` URIs of the base folders, by name.

    It has only open issues: GitHub ignores `suppressions` and would show the others as open alerts.
    """
    from actions.patterns import get_patterns

    modules = get_patterns()
    indexes = {id: index for index, id in enumerate(modules)}
    findings = [
        ReportedIssue(subject, issue)
        for subject in subjects
        for issue in subject.issues
        if issue.status is IssueStatus.OPEN and not issue.is_about_session
    ]
    reported = _select_worst(findings)
    driver = {"name": "tune-skill", "version": version, "rules": [_build_rule(module) for module in modules.values()]}
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {name: {"uri": address} for name, address in bases.items()},
        "invocations": [_build_invocation(subjects, _list_omissions(findings, reported))],
        "results": [_build_result(subject, issue, indexes) for subject, issue in reported],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _select_worst(findings: Sequence[ReportedIssue]) -> Sequence[ReportedIssue]:
    """Return at most _MAX_RESULTS findings, in their original order. Severe findings have priority."""
    if len(findings) <= _MAX_RESULTS:
        return findings
    worst = sorted(range(len(findings)), key=lambda index: findings[index].issue.severity.rank)[:_MAX_RESULTS]
    return [findings[index] for index in sorted(worst)]


def _list_omissions(findings: Sequence[ReportedIssue], reported: Sequence[ReportedIssue]) -> Iterator[str]:
    if count := len(findings) - len(reported):
        yield f"{count:,} of {len(findings):,} findings are left out: code scanning accepts {_MAX_RESULTS:,}"
    for _, issue in reported:
        if (count := len(issue.places)) > _MAX_PLACES:
            left_out = f"{count - _MAX_PLACES:,} of {count:,} places are left out"
            yield f"{issue.id}: {left_out}: code scanning accepts {_MAX_PLACES:,}"


def _build_rule(module: "PatternModule") -> dict[str, Any]:
    from actions.patterns.page import PROSE, get_page, list_clauses
    from actions.patterns.pattern import get_grades

    pattern, parts = module.PATTERN, get_page(module)
    clauses, prose = list_clauses(parts), [(label, parts[label]) for label in PROSE]
    words = module.__name__.rpartition(".")[2].split("_")[2:]
    return {
        "id": pattern.id,
        "name": "".join(word.capitalize() for word in words),
        "shortDescription": {"text": f"{parts['title']}."},
        "fullDescription": {"text": f"{' '.join(parts['It is'].splitlines())} {parts['Why it is bad']}"},
        "help": {
            "text": "\n\n".join(
                [*(_format_bullets(f"{label}:", lines) for label, lines in clauses), *map(": ".join, prose)]
            ),
            "markdown": "\n\n".join(
                [
                    *(_format_bullets(f"**{label}**\n", lines) for label, lines in clauses),
                    *(f"**{label}.** {text}" for label, text in prose),
                ]
            ),
        },
        "defaultConfiguration": {"level": _LEVELS[pattern.severity]},
        "properties": {"tags": [pattern.family.value], "grades": list(get_grades(module))},
    }


def _format_bullets(head: str, clauses: Sequence[str]) -> str:
    return "\n".join([head, *(f"- {clause}" for clause in clauses)])


def _build_invocation(subjects: Sequence[Subject], omissions: Iterator[str]) -> dict[str, Any]:
    errors = [_build_notification("error", subject.error) for subject in subjects if subject.error]
    texts = (
        f"{subject.name or subject.folder or subject.base}: {note}" for subject in subjects for note in subject.notes
    )
    notes = [
        *(_build_notification("warning", text) for text in omissions),
        *(_build_notification("note", text) for text in texts),
    ]
    return {"executionSuccessful": not errors, "toolExecutionNotifications": [*errors, *notes]}


def _build_notification(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": text}}


def _build_result(subject: Subject, issue: Issue, indexes: Mapping[str, int]) -> dict[str, Any]:
    result = {
        "ruleId": issue.pattern,
        "level": _LEVELS[issue.severity],
        "message": {"text": _format_message(issue)},
        "locations": [{"physicalLocation": _build_location(subject, issue.places[0])}],
        "relatedLocations": list(_list_related(subject, issue)),
        "partialFingerprints": {"tuneSkill/v1": issue.fingerprint},
        "properties": {"severity": issue.severity.value, "issue": issue.id, **_build_grade(issue)},
    }
    return result | ({"ruleIndex": indexes[issue.pattern]} if issue.pattern in indexes else {})


def _build_grade(issue: Issue) -> dict[str, str]:
    by = issue.read_by
    return {"grade": issue.grade.value, **({"readBy": by.name, "reason": by.reason} if by else {})}


def _quote_uri(path: str) -> str:
    """Return a path as a relative URI reference. An unpaired surrogate becomes a question mark."""
    try:
        return quote(path, errors="surrogateescape")
    except UnicodeEncodeError:
        return quote(path, errors="replace")


def _list_related(subject: Subject, issue: Issue) -> Iterator[dict[str, Any]]:
    """Yield the other places of an issue. The message of the issue refers to these places by id."""
    for number, place in enumerate(issue.places[1:_MAX_PLACES], 1):
        yield {
            "id": number,
            "physicalLocation": _build_location(subject, place),
            "message": {"text": f"Also here: {place.quote}"},
        }


def _build_location(subject: Subject, place: Place) -> dict[str, Any]:
    path = posixpath.normpath(f"{subject.folder}/{place.file}") if subject.folder else place.file
    location: dict[str, Any] = {"artifactLocation": {"uri": _quote_uri(path), "uriBaseId": subject.base}}
    if place.line_start:
        region: dict[str, Any] = {"startLine": place.line_start, "endLine": place.line_end or place.line_start}
        if place.quote:
            region["snippet"] = {"text": place.quote}
        location["region"] = region
    return location


def _format_message(issue: Issue) -> str:
    """Return the message with links to the other places, because it is shown only at the first place."""
    others = issue.places[1:]
    links = ", ".join(
        f"[{_escape(place.file)}:{place.line_start or 1}]({id})" for id, place in enumerate(others[:_MAX_LINKS], 1)
    )
    more = f" and {len(others) - _MAX_LINKS} more" if len(others) > _MAX_LINKS else ""
    return f"{issue.description} Also in {links}{more}." if others else issue.description


def _escape(text: str) -> str:
    """Escape backslashes and brackets, which would form a link in the message of a result."""
    return re.sub(r"([\\\[\]])", r"\\\1", text)


FORMAT = Format("sarif", {Diagnosis: format_diagnosis, RunReport: format_report})
