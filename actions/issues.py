"""Findings as the issues of a run: ids, priorities, texts. An id stays with its fault through the run."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType

from actions.findings import Finding, Scan
from actions.patterns import PatternModule, all_patterns
from actions.skill import Role, Skill
from actions.skill.skill import role_of
from schemas.issues import Issue, Location, SeverityCounts
from schemas.vocabulary import Confidence, IssueStatus, Severity

CUSTOM = "custom"
"""The pattern of a finding that only the judge has a word for."""
_OWN_PAGE: Mapping[str, str] = MappingProxyType(
    {
        "title": "Seen by the judge",
        "What it sees": "A fault for which there is no pattern; the judge quotes the words.",
        "Why it is bad": "The finding says it.",
        "Instead": "Read the quoted words and mend what they lead to.",
        "May be wrong": "A model said so; only that the words stand there is proven.",
    }
)
_PART = re.compile(r"\n(What it sees|Why it is bad|Instead|May be wrong):\s*")


def page(module: PatternModule) -> Mapping[str, str]:
    """Give the parts of a pattern's page: title, What it sees, Why it is bad, Instead, May be wrong."""
    return _parts(module.__doc__ or "")


def told_of(id: str) -> Mapping[str, str]:
    """Give the page of what has this id; a judge's own kind of finding (`custom`) has none but this."""
    return page(all_patterns()[id]) if id != CUSTOM else _OWN_PAGE


@cache
def _parts(text: str) -> Mapping[str, str]:
    title, *rest = _PART.split(text)
    parts = {"title": title.strip().splitlines()[0].rstrip(".")}
    for label, text in zip(rest[::2], rest[1::2], strict=True):
        line = " ".join(text.split())
        parts[label] = line[:1].upper() + line[1:]
    return parts


def issues_of(found: Scan, known: Sequence[Issue] = ()) -> tuple[Issue, ...]:
    """Give the issues of a scan, worst first. What is known from before keeps its id."""
    ids = {issue.fingerprint: issue.id for issue in known}
    number = max((int(id.rpartition("-")[2]) for id in ids.values()), default=0)
    edited = _edited(found, known)
    for finding in found.findings:
        if finding.fingerprint not in ids:
            same = edited.get((finding.pattern.id, finding.evidence.message))
            number += not same
            ids[finding.fingerprint] = same.pop(0) if same else f"ISS-{number:03d}"
    return joined(issue_of(finding, ids[finding.fingerprint]) for finding in found.findings)


def _edited(found: Scan, known: Sequence[Issue]) -> dict[tuple[str, str], list[str]]:
    """Give the ids of known faults whose line is no longer there, by what was said of them: a fix edits lines."""
    present = {finding.fingerprint for finding in found.findings}
    waiting: dict[tuple[str, str], list[str]] = {}
    for issue in known:
        if issue.fingerprint not in present and issue.status is not IssueStatus.RESOLVED:
            waiting.setdefault((issue.pattern, issue.description), []).append(issue.id)
    return waiting


def issue_of(finding: Finding, id: str) -> Issue:
    """Give a finding as an issue."""
    told = told_of(finding.pattern.id)
    evidence, by = finding.evidence, finding.suppressed_by
    return Issue(
        id=id,
        type=finding.pattern.family,
        severity=finding.severity,
        priority=0,
        location=Location(
            evidence.file,
            evidence.line,
            evidence.line_end,
            evidence.file if role_of(evidence.file) is Role.PHASE else None,
        ),
        description=evidence.message,
        evidence=(finding.quote, *evidence.also),
        root_cause=told["What it sees"],
        impact=told["Why it is bad"],
        suggested_fix=finding.pattern.strategies[0] if finding.pattern.strategies else "custom",
        pattern=finding.pattern.id,
        confidence=finding.confidence,
        fingerprint=finding.fingerprint,
        status=IssueStatus.OPEN if by is None else IssueStatus.SUPPRESSED,
        suppressed_by=by,
    )


def updated(old: Sequence[Issue], fresh: Sequence[Issue], looked: Collection[str]) -> tuple[Issue, ...]:
    """Give the issues of a run after the patterns `looked` saw `fresh`: theirs that are gone are resolved."""
    seen = {issue.id for issue in fresh}
    rest = (
        replace(i, status=IssueStatus.RESOLVED, suppressed_by=None) if i.pattern in looked else i
        for i in old
        if i.id not in seen
    )
    return joined((*map(_alone, rest), *map(_alone, fresh)))


def _alone(issue: Issue) -> Issue:
    if (issue.suppressed_by or "").startswith("ISS-"):
        issue = replace(issue, status=IssueStatus.OPEN, suppressed_by=None)
    return replace(issue, related_issues=())


def joined(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """Order issues by severity, confidence and sessions, number their priority, and join those that tell one fault.

    Findings of one cause on overlapping lines are one issue: the worst stays open and names the others.
    """
    ordered = sorted(issues, key=_order)
    ranks = sorted({_order(issue)[:3] for issue in ordered})
    out: list[Issue] = []
    patterns = {(_cause(issue), issue.pattern) for issue in ordered}
    several = {cause for cause, n in Counter(cause for cause, _ in patterns if cause).items() if n > 1}
    places: dict[tuple[str, str], list[int]] = {}
    for issue in ordered:
        issue = replace(issue, priority=ranks.index(_order(issue)[:3]) + 1)
        same = places.setdefault((_cause(issue), issue.location.file), [])
        twin = next((i for i in same if _same_fault(out[i], issue)), None)
        if twin is not None:
            out[twin] = replace(out[twin], related_issues=(*out[twin].related_issues, issue.id))
            issue = replace(issue, status=IssueStatus.SUPPRESSED, suppressed_by=out[twin].id)
        elif _cause(issue) in several:
            same.append(len(out))
        out.append(issue)
    return tuple(out)


def _order(issue: Issue) -> tuple[int, int, int, str, int, str]:
    place = issue.location
    ranks = issue.severity.rank, issue.confidence.rank, -issue.sessions
    return *ranks, place.file, place.line_start or 0, issue.pattern


def _same_fault(one: Issue, other: Issue) -> bool:
    a, b = one.location, other.location
    return (
        one.status is other.status is IssueStatus.OPEN
        and one.pattern != other.pattern
        and (a.line_start or 0) <= (b.line_end or 0)
        and (b.line_start or 0) <= (a.line_end or 0)
    )


def _cause(issue: Issue) -> str:
    module = all_patterns().get(issue.pattern) if issue.source != "session" else None
    return module.PATTERN.cause if module else ""


def counted(issues: Sequence[Issue]) -> list[Issue]:
    """Give the issues that count: open, of high or medium confidence, seen in the skill itself."""
    opened = (i for i in issues if i.status is IssueStatus.OPEN and i.source != "session")
    return [i for i in opened if i.confidence is not Confidence.LOW]


def by_severity(issues: Sequence[Issue]) -> SeverityCounts:
    """Count the issues that count."""
    found = [issue.severity for issue in counted(issues)]
    return SeverityCounts(**{s.value: found.count(s) for s in Severity})


def file_hashes(skill: Skill) -> dict[str, str]:
    """Give the sha256 of each text file."""
    return {file.path: file.sha256 for file in skill.files}
