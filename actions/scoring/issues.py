"""Make findings the issues of a run: ids, priorities, texts. A fault keeps its id through the run."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from actions.grouping import group_by_key
from actions.patterns import all_patterns
from actions.patterns.page import PROVEN, find_page
from actions.patterns.pattern import Finding
from actions.scoring.scan import Scan
from actions.skill import Role, Skill
from actions.skill.paths import role_of
from schemas.issues import Issue, Location, SeverityCounts
from schemas.vocabulary import IssueStatus, Severity


def make_issues(found: Scan, known: Sequence[Issue] = ()) -> tuple[Issue, ...]:
    """Return the issues of a scan, worst first. A known fault keeps its id."""
    ids = {issue.fingerprint: issue.id for issue in known}
    number = max((int(id.rpartition("-")[2]) for id in ids.values()), default=0)
    edited = _find_edited(found, known)
    for finding in found.findings:
        if finding.fingerprint not in ids:
            same = edited.get((finding.pattern.id, finding.message))
            number += not same
            ids[finding.fingerprint] = same.pop(0) if same else f"ISS-{number:03d}"
    return rank_issues(make_issue(finding, ids[finding.fingerprint]) for finding in found.findings)


def _find_edited(found: Scan, known: Sequence[Issue]) -> dict[tuple[str, str], list[str]]:
    """Return the ids of known faults whose line is gone, by pattern and message: a fix may have edited the line."""
    present = {finding.fingerprint for finding in found.findings}
    away = (i for i in known if i.fingerprint not in present and i.status is not IssueStatus.RESOLVED)
    return group_by_key(((issue.pattern, issue.description), issue.id) for issue in away)


def make_issue(finding: Finding, id: str) -> Issue:
    """Return the issue of a finding."""
    page, by = find_page(finding.pattern.id), finding.suppressed_by
    phase = finding.file if role_of(finding.file) is Role.PHASE else None
    return Issue(
        id=id,
        type=finding.pattern.family,
        severity=finding.severity,
        priority=0,
        location=Location(finding.file, finding.line, finding.line_end, phase),
        description=finding.message,
        evidence=(finding.quote, *finding.also),
        root_cause=page["It is"].replace(PROVEN, ""),
        impact=page["Why it is bad"],
        suggested_fix=finding.pattern.strategies[0] if finding.pattern.strategies else "custom",
        pattern=finding.pattern.id,
        grade=finding.grade,
        fingerprint=finding.fingerprint,
        status=IssueStatus.OPEN if by is None else IssueStatus.SUPPRESSED,
        suppressed_by=by,
    )


def update_issues(old: Sequence[Issue], fresh: Sequence[Issue], checked: Collection[str]) -> tuple[Issue, ...]:
    """Return the issues of a run after a scan with the patterns `checked`; what it no longer finds is resolved."""
    seen = {issue.id for issue in fresh}
    away = (issue for issue in old if issue.id not in seen)
    rest = (replace(i, status=IssueStatus.RESOLVED, suppressed_by=None) if i.pattern in checked else i for i in away)
    return rank_issues((*map(_separate, rest), *map(_separate, fresh)))


def _separate(issue: Issue) -> Issue:
    if (issue.suppressed_by or "").startswith("ISS-"):
        issue = replace(issue, status=IssueStatus.OPEN, suppressed_by=None)
    return replace(issue, related_issues=())


def rank_issues(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """Return issues ordered by severity and number of sessions, with priorities; duplicates are suppressed.

    Issues of one cause on overlapping lines are one fault: the worst stays open and names the others.
    """
    ordered = sorted(issues, key=_order)
    ranks = sorted({_order(issue)[:2] for issue in ordered})
    out: list[Issue] = []
    patterns = {(_cause(issue), issue.pattern) for issue in ordered}
    several = {cause for cause, n in Counter(cause for cause, _ in patterns if cause).items() if n > 1}
    places: dict[tuple[str, str], list[int]] = {}
    for issue in ordered:
        issue = replace(issue, priority=ranks.index(_order(issue)[:2]) + 1)
        same = places.setdefault((_cause(issue), issue.location.file), [])
        twin = next((i for i in same if _same_fault(out[i], issue)), None)
        if twin is not None:
            out[twin] = replace(out[twin], related_issues=(*out[twin].related_issues, issue.id))
            issue = replace(issue, status=IssueStatus.SUPPRESSED, suppressed_by=out[twin].id)
        elif _cause(issue) in several:
            same.append(len(out))
        out.append(issue)
    return tuple(out)


def _order(issue: Issue) -> tuple[int, int, str, int, str]:
    place = issue.location
    return issue.severity.rank, -issue.sessions, place.file, place.line_start or 0, issue.pattern


def _same_fault(one: Issue, other: Issue) -> bool:
    lines = other.location.line_start or 0, other.location.line_end or 0
    both_open = one.status is other.status is IssueStatus.OPEN
    return both_open and one.pattern != other.pattern and one.location.meets(*lines)


def _cause(issue: Issue) -> str:
    module = all_patterns().get(issue.pattern) if not issue.is_from_session else None
    return module.PATTERN.cause if module else ""


def select_counted(issues: Sequence[Issue]) -> list[Issue]:
    """Return the issues that the score counts."""
    return [issue for issue in issues if issue.counts]


def count_by_severity(issues: Sequence[Issue]) -> SeverityCounts:
    """Return the number of counted issues of each severity."""
    severities = [issue.severity for issue in select_counted(issues)]
    return SeverityCounts(**{s.value: severities.count(s) for s in Severity})


def hash_files(skill: Skill) -> dict[str, str]:
    """Return the sha256 of each text file."""
    return {file.path: file.sha256 for file in skill.files}
