"""Convert findings to issues of a run, with ids, priorities and texts. A fault keeps its id during the run."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from actions.grouping import group_by_key
from actions.patterns import get_patterns
from actions.patterns.page import PROVEN, find_page
from actions.patterns.pattern import Finding
from actions.scoring.scan import Scan
from actions.secrets import withhold_values
from actions.skill import Skill
from schemas.issues import Issue, Location, Place, SeverityCounts
from schemas.vocabulary import IssueSource, IssueStatus, Severity

Line = tuple[str, str, int]
"""A cause that several patterns share, a file, and a line number."""


def make_issues(scan: Scan, known: Sequence[Issue] = (), fixed: Collection[str] = ()) -> tuple[Issue, ...]:
    """Return the issues of a scan, most severe first.

    A known issue keeps its id as long as one of its locations remains. `fixed` are the ids of known issues that are
    proven to be gone; no finding gets these ids again.
    """
    reusable = [issue for issue in known if issue.id not in fixed]
    open_last = sorted(reusable, key=lambda issue: issue.status is IssueStatus.OPEN)
    ids = {place.fingerprint: issue.id for issue in open_last for place in issue.places}
    number = max((int(issue.id.rpartition("-")[2]) for issue in known), default=0)
    edited = _find_edited_issues(scan, reusable)
    used_ids: set[str] = set()
    issues = []
    for finding in scan.findings:
        of_places = (ids.get(place.fingerprint) for place in finding.locations)
        id = next((id for id in of_places if id and id not in used_ids), None)
        if id is None:
            same = edited.get((finding.pattern.id, withhold_values(finding.message)))
            number += not same
            id = same.pop(0) if same else f"ISS-{number:03d}"
        used_ids.add(id)
        issues.append(make_issue(finding, id))
    return rank_issues(issues)


def _find_edited_issues(scan: Scan, known: Sequence[Issue]) -> dict[tuple[str, str], list[str]]:
    """Map (pattern, message) to the ids of the known issues whose lines are gone, perhaps because a fix edited them."""
    present = {place.fingerprint for finding in scan.findings for place in finding.locations}
    edited = (
        i for i in known if present.isdisjoint(p.fingerprint for p in i.places) and i.status is not IssueStatus.RESOLVED
    )
    return group_by_key(((issue.pattern, issue.description), issue.id) for issue in edited)


def make_issue(finding: Finding, id: str) -> Issue:
    """Return the issue of a finding. Its texts are shown and stored, so they contain no secret."""
    page, suppressed_by = find_page(finding.pattern.id), finding.suppressed_by
    locations = tuple(replace(place, quote=withhold_values(place.quote)) for place in finding.locations)
    first, *rest = locations
    return Issue(
        id=id,
        type=finding.pattern.family,
        severity=finding.severity,
        priority=0,
        location=Location(first.file, first.line_start, first.line_end, first.phase),
        locations=locations,
        description=withhold_values(finding.message),
        evidence=(withhold_values(finding.quote), *(place.text for place in rest), *map(withhold_values, finding.also)),
        root_cause=page["It is"].replace(PROVEN, ""),
        impact=page["Why it is bad"],
        suggested_fix=finding.pattern.strategies[0] if finding.pattern.strategies else "custom",
        pattern=finding.pattern.id,
        grade=finding.grade,
        fingerprint=finding.fingerprint,
        status=IssueStatus.OPEN if suppressed_by is None else IssueStatus.SUPPRESSED,
        suppressed_by=suppressed_by,
    )


def update_issues(
    old: Sequence[Issue], fresh: Sequence[Issue], checked: Collection[str], fixed: Collection[str] = ()
) -> tuple[Issue, ...]:
    """Return the issues of a run after a scan with the patterns `checked` (see `Scan.list_conclusive`).

    An issue of these patterns is resolved if the scan did not find it again. An issue whose id is in `fixed` is also
    resolved. An issue whose location now belongs to another issue is suppressed by the other issue.
    """
    seen = {issue.id for issue in fresh}
    owners = {place.fingerprint: issue.id for issue in fresh for place in issue.places}
    missing = (issue for issue in old if issue.id not in seen)
    rest = (
        replace(i, status=IssueStatus.RESOLVED, suppressed_by=None) if i.pattern in checked or i.id in fixed else i
        for i in missing
    )
    return rank_issues(
        (*(_suppress_merged_issue(_reset_relations(issue), owners) for issue in rest), *map(_reset_relations, fresh))
    )


def _suppress_merged_issue(issue: Issue, owners: Mapping[str, str]) -> Issue:
    """Suppress an issue if its first location now belongs to another issue.

    `owners` maps the fingerprints of locations to the ids of the issues that own them.
    """
    owner = owners.get(issue.fingerprint)
    return replace(issue, status=IssueStatus.SUPPRESSED, suppressed_by=owner) if owner else issue


def _reset_relations(issue: Issue) -> Issue:
    """Undo the effect of `rank_issues`: open an issue that another one suppressed, and remove the related issues."""
    if (issue.suppressed_by or "").startswith("ISS-"):
        issue = replace(issue, status=IssueStatus.OPEN, suppressed_by=None)
    return replace(issue, related_issues=())


def rank_issues(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """Sort issues by severity and number of sessions, assign priorities, and suppress duplicates.

    An issue is a duplicate of a more severe issue if both have the same cause but different patterns, and if the more
    severe issue shares a line with each of its locations. The more severe issue stays open and lists its duplicates.
    """
    ordered = sorted(issues, key=_make_sort_key)
    ranks = sorted({_make_sort_key(issue)[:2] for issue in ordered})
    ranked: list[Issue] = []
    patterns = {(_find_cause(issue), issue.pattern) for issue in ordered}
    shared_causes = {cause for cause, n in Counter(cause for cause, _ in patterns if cause).items() if n > 1}
    at_line: dict[Line, dict[int, None]] = {}
    for issue in ordered:
        issue = replace(issue, priority=ranks.index(_make_sort_key(issue)[:2]) + 1)
        cause = _find_cause(issue) if issue.status is IssueStatus.OPEN else ""
        overlapping = [_find_overlapping(place, cause, at_line) for place in issue.places] if cause else []
        index = _find_original(issue, ranked, overlapping) if overlapping else None
        if index is not None:
            original = ranked[index]
            ranked[index] = replace(original, related_issues=(*original.related_issues, issue.id))
            issue = replace(issue, status=IssueStatus.SUPPRESSED, suppressed_by=original.id)
        elif cause in shared_causes:
            for key in ((cause, place.file, line) for place in issue.places for line in _list_lines(place)):
                at_line.setdefault(key, {})[len(ranked)] = None
        ranked.append(issue)
    return tuple(ranked)


def _list_lines(place: Place) -> range:
    return range(place.line_start or 0, max(place.line_start or 0, place.line_end or 0) + 1)


def _find_overlapping(place: Place, cause: str, at_line: Mapping[Line, Mapping[int, None]]) -> set[int]:
    """Return the indexes of the issues with this cause that share a line with a location."""
    return {n for line in _list_lines(place) for n in at_line.get((cause, place.file, line), ())}


def _find_original(issue: Issue, worse: Sequence[Issue], overlapping: Sequence[set[int]]) -> int | None:
    """Return the index of the most severe issue of another pattern that overlaps every location of an issue.

    Returns None if not found. `overlapping` has the indexes of the overlapping issues for each location of the issue.
    """
    return min((n for n in set.intersection(*overlapping) if worse[n].pattern != issue.pattern), default=None)


def _make_sort_key(issue: Issue) -> tuple[int, int, str, int, int, str]:
    place = issue.location
    return issue.severity.rank, -issue.sessions, place.file, place.line_start or 0, -len(issue.places), issue.pattern


def _find_cause(issue: Issue) -> str:
    is_own = issue.is_about_session or issue.source is IssueSource.MODEL
    module = None if is_own else get_patterns().get(issue.pattern)
    return module.PATTERN.cause if module else ""


def select_counted_issues(issues: Sequence[Issue]) -> list[Issue]:
    """Return the issues that the score counts."""
    return [issue for issue in issues if issue.counts]


def count_by_severity(issues: Sequence[Issue]) -> SeverityCounts:
    """Return the number of counted issues of each severity."""
    severities = [issue.severity for issue in select_counted_issues(issues)]
    return SeverityCounts(**{s.value: severities.count(s) for s in Severity})


def hash_files(skill: Skill) -> dict[str, str]:
    """Return the sha256 of each text file."""
    return {file.path: file.sha256 for file in skill.files}
