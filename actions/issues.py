"""Findings as the issues of a run: ids, priorities, texts. An id stays with its fingerprint through the run."""

import re
from collections.abc import Mapping, Sequence

from actions.findings import Finding, Scan
from actions.model import Role, Skill
from actions.model.skill import role_of
from actions.patterns import PatternModule, all_patterns
from schemas.records import Issue, Location, SeverityCounts
from schemas.vocabulary import Confidence, IssueStatus, Severity

_PART = re.compile(r"\n(What it sees|Why it is bad|Instead|May be wrong):\s*")


def page(module: PatternModule) -> Mapping[str, str]:
    """Give the parts of a pattern's page: title, What it sees, Why it is bad, Instead, May be wrong."""
    title, *rest = _PART.split(module.__doc__ or "")
    parts = {"title": title.strip().splitlines()[0].rstrip(".")}
    for label, text in zip(rest[::2], rest[1::2], strict=True):
        parts[label] = " ".join(text.split())
    return parts


def issues_of(found: Scan, known: Sequence[Issue] = ()) -> tuple[Issue, ...]:
    """Give the issues of a scan, worst first. Fingerprints known from earlier rounds keep their ids."""
    ids = {issue.fingerprint: issue.id for issue in known}
    number = max((int(id.rpartition("-")[2]) for id in ids.values()), default=0)
    for finding in found.findings:
        if finding.fingerprint not in ids:
            number += 1
            ids[finding.fingerprint] = f"ISS-{number:03d}"
    ranks = sorted({_rank(f) for f in found.findings})
    return tuple(_issue(f, ids, ranks.index(_rank(f)) + 1) for f in found.findings)


def _rank(finding: Finding) -> tuple[int, int]:
    return finding.severity.rank, finding.confidence.rank


def _issue(finding: Finding, ids: Mapping[str, str], priority: int) -> Issue:
    told = page(all_patterns()[finding.pattern.id])
    evidence, by = finding.evidence, finding.suppressed_by
    return Issue(
        id=ids[finding.fingerprint],
        type=finding.pattern.family,
        severity=finding.severity,
        priority=priority,
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
        suppressed_by=ids.get(by, by) if by else None,
        related_issues=tuple(ids[mark] for mark in finding.related),
    )


def counted(issues: Sequence[Issue]) -> list[Issue]:
    """Give the issues that count: open, of high or medium confidence."""
    return [i for i in issues if i.status is IssueStatus.OPEN and i.confidence is not Confidence.LOW]


def by_severity(issues: Sequence[Issue]) -> SeverityCounts:
    """Count the issues that count."""
    found = [issue.severity for issue in counted(issues)]
    return SeverityCounts(**{s.value: found.count(s) for s in Severity})


def file_hashes(skill: Skill) -> dict[str, str]:
    """Give the sha256 of each text file."""
    return {file.path: file.sha256 for file in skill.files}
