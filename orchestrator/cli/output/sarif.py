"""Findings as SARIF 2.1.0, for code scanning services and editors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from actions.patterns import all_patterns
from actions.patterns.page import PROSE, get_page, list_clauses
from actions.patterns.pattern import PatternModule, get_grades
from schemas.issues import Issue
from schemas.vocabulary import IssueStatus, Severity

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.CRITICAL: "error", Severity.HIGH: "error", Severity.MEDIUM: "warning", Severity.LOW: "note"}
_SHOWN = frozenset({IssueStatus.OPEN, IssueStatus.SUPPRESSED, IssueStatus.REJECTED})


@dataclass(frozen=True)
class Subject:
    """A skill as SARIF tells of it: its folder seen from a base folder, what was found, what went wrong.

    `base` names the base folder; `folder` is relative to it, with `/`, "" for the base folder itself.
    """

    base: str
    folder: str
    issues: Sequence[Issue] = ()
    notes: Sequence[str] = ()
    error: str | None = None


def sarif(version: str, bases: Mapping[str, str], subjects: Sequence[Subject]) -> dict[str, Any]:
    """Return a SARIF log of one run. `bases` are the absolute `file:///…/` addresses of the base folders."""
    modules = all_patterns()
    places = {id: index for index, id in enumerate(modules)}
    shown = [(s, issue) for s in subjects for issue in s.issues if issue.status in _SHOWN and not issue.is_from_session]
    driver = {"name": "tune-skill", "version": version, "rules": [_rule(module) for module in modules.values()]}
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {name: {"uri": address} for name, address in bases.items()},
        "invocations": [_invocation(subjects)],
        "results": [_result(subject, issue, places) for subject, issue in shown],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(module: PatternModule) -> dict[str, Any]:
    pattern, told = module.PATTERN, get_page(module)
    clauses, prose = list_clauses(told), [(label, told[label]) for label in PROSE]
    words = module.__name__.rpartition(".")[2].split("_")[2:]
    return {
        "id": pattern.id,
        "name": "".join(word.capitalize() for word in words),
        "shortDescription": {"text": f"{told['title']}."},
        "fullDescription": {"text": f"{' '.join(told['It is'].splitlines())} {told['Why it is bad']}"},
        "help": {
            "text": "\n\n".join([*(_listed(f"{label}:", found) for label, found in clauses), *map(": ".join, prose)]),
            "markdown": "\n\n".join(
                [*(_listed(f"**{label}**\n", found) for label, found in clauses), *(f"**{a}.** {b}" for a, b in prose)]
            ),
        },
        "defaultConfiguration": {"level": _LEVELS[pattern.severity]},
        "properties": {"tags": [pattern.family.value], "grades": list(get_grades(module))},
    }


def _listed(head: str, clauses: Sequence[str]) -> str:
    return "\n".join([head, *(f"- {clause}" for clause in clauses)])


def _invocation(subjects: Sequence[Subject]) -> dict[str, Any]:
    errors = [_notification("error", subject.error) for subject in subjects if subject.error]
    notes = [_notification("note", f"{s.folder or s.base}: {note}") for s in subjects for note in s.notes]
    return {"executionSuccessful": not errors, "toolExecutionNotifications": [*errors, *notes]}


def _notification(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": text}}


def _result(subject: Subject, issue: Issue, places: Mapping[str, int]) -> dict[str, Any]:
    result = {
        "ruleId": issue.pattern,
        "level": _LEVELS[issue.severity],
        "message": {"text": issue.description},
        "locations": [{"physicalLocation": _location(subject, issue)}],
        "partialFingerprints": {"tuneSkill/v1": issue.fingerprint},
        "suppressions": _suppressions(issue),
        "properties": {"severity": issue.severity.value, "issue": issue.id, **_grade(issue)},
    }
    return result | ({"ruleIndex": places[issue.pattern]} if issue.pattern in places else {})


def _grade(issue: Issue) -> dict[str, str]:
    by = issue.read_by
    return {"grade": issue.grade.value, **({"readBy": by.name, "reason": by.reason} if by else {})}


def _uri(path: str) -> str:
    """Return a path as a relative reference; half a character that no name can hold becomes a question mark."""
    try:
        return quote(path, errors="surrogateescape")
    except UnicodeEncodeError:
        return quote(path, errors="replace")


def _location(subject: Subject, issue: Issue) -> dict[str, Any]:
    at = issue.location
    path = f"{subject.folder}/{at.file}" if subject.folder else at.file
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(path), "uriBaseId": subject.base}}
    if at.line_start:
        region: dict[str, Any] = {"startLine": at.line_start, "endLine": at.line_end or at.line_start}
        if issue.evidence and issue.evidence[0]:
            region["snippet"] = {"text": issue.evidence[0]}
        location["region"] = region
    return location


def _suppressions(issue: Issue) -> list[dict[str, Any]]:
    """A list that is empty says: not suppressed. What a judge rejects is under review: no person has accepted it."""
    if issue.status is IssueStatus.REJECTED and issue.verdict:
        said = f"{issue.verdict.word} by {issue.verdict.by}: {issue.verdict.why}"
        return [{"kind": "external", "status": "underReview", "justification": said}]
    if issue.status is not IssueStatus.SUPPRESSED:
        return []
    why = issue.suppressed_by or ""
    kind = "inSource" if why.startswith("comment") else "external"
    return [{"kind": kind, "status": "accepted", "justification": f"covered by {why}" if why[:4] == "ISS-" else why}]
