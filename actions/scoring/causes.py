"""Merge findings with the same cause into one finding with all locations, within a unit and within a project."""

import posixpath
from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from actions.grouping import group_by_key
from actions.patterns.pattern import Finding
from schemas.issues import Issue, Place
from schemas.vocabulary import IssueStatus, UnitKind

Key = tuple[str, ...]
Cause = tuple[str, str]
"""A cause, and the topmost missing folder if it is a missing file in a missing folder, or ""."""
SAME_CAUSE = "the same cause as "
"""The beginning of the reason for suppressing an issue that another unit reports. The location there follows."""


class SharedIssue(msgspec.Struct, frozen=True):
    """An open issue whose cause may also affect other units of its project.

    `unit` identifies the unit. Its files are relative to `folder`, which is a path from the project's root. The paths
    in `cause` are relative to the root.
    """

    unit: int
    folder: str
    issue: Issue
    cause: Cause

    @property
    def first_place(self) -> str:
        """The first location, relative to the project's root."""
        return f"{posixpath.join(self.folder, self.issue.location.file)}:{self.issue.location.line_start or 1}"


def find_causes(findings: Sequence[Finding]) -> list[Key]:
    """Return a cause key for each finding. Findings with equal keys have the same cause.

    An open finding and a suppressed finding never have equal keys. A finding without a cause has a unique key.
    """
    scopes = [(f.pattern.id, f.suppressed_by or "") for f in findings]
    causes = [(f.cause or f"\0{n}", f.folder) for n, f in enumerate(findings)]
    return _find_keys(list(zip(scopes, causes, strict=True)))


def _find_keys(causes: Sequence[tuple[Key, Cause]]) -> list[Key]:
    """Return the keys of causes, given as (scope, cause).

    If findings name different targets in a missing folder, their cause is the folder. Otherwise it is the target.
    """
    targets = group_by_key(((scope, folder), cause) for scope, (cause, folder) in causes if folder)
    shared = {place for place, names in targets.items() if len(set(names)) > 1}
    return [
        (*scope, "folder", folder) if folder and (scope, folder) in shared else (*scope, cause)
        for scope, (cause, folder) in causes
    ]


def merge_by_cause(findings: Sequence[Finding]) -> list[Finding]:
    """Merge the findings of each cause, in the order of their first locations."""
    groups = group_by_key(zip(find_causes(findings), findings, strict=True))
    return [_merge_findings(group) for group in groups.values()]


def find_shared_cause(finding: Finding, kind: UnitKind) -> Cause | None:
    """Return the cause of a finding in a unit of this kind, or None if no other unit of the project can share it."""
    is_shared = finding.cause and (finding.is_shared or kind is not UnitKind.SKILL)
    return (finding.cause, finding.folder) if is_shared else None


def merge_issues(shared: Sequence[SharedIssue]) -> Mapping[tuple[int, str], Issue]:
    """Merge the issues of a project that have the same cause. Return the changed issues by unit and id.

    Merged issues are reported, with all their locations, in the first unit in which they are most severe. They are
    suppressed in the other units.
    """
    ordered = sorted(shared, key=lambda item: item.issue.severity.rank)
    keys = _find_keys([((item.issue.pattern,), item.cause) for item in ordered])
    changed: dict[tuple[int, str], Issue] = {}
    for group in group_by_key(zip(keys, ordered, strict=True)).values():
        first, *rest = group
        if rest:
            changed[first.unit, first.issue.id] = _merge_issues(first, rest)
        for item in rest:
            reason = f"{SAME_CAUSE}{first.first_place}"
            covered = replace(item.issue, status=IssueStatus.SUPPRESSED, suppressed_by=reason)
            changed[item.unit, item.issue.id] = covered
    return changed


def _merge_issues(first: SharedIssue, rest: Sequence[SharedIssue]) -> Issue:
    """Return the issue of `first` with the locations of all issues.

    If the targets of the issues differ, the missing folder is added.
    """
    own, missing = first.issue, first.cause[1]
    is_folder = any(item.cause[0] != first.cause[0] for item in rest)
    other_places = tuple(_rebase(place, item.folder, first.folder) for item in rest for place in item.issue.places)
    further_evidence = [
        text for item in (first, *rest) if item.folder == first.folder for text in item.issue.further_evidence
    ]
    at_places = (*own.evidence[: len(own.places)], *(place.text for place in other_places))
    return replace(
        own,
        description=f"The folder `{missing}` does not exist." if is_folder else own.description,
        locations=(*own.places, *other_places),
        evidence=(*at_places, *dict.fromkeys(further_evidence)),
    )


def _rebase(place: Place, folder: str, onto: str) -> Place:
    """Return a place with its file relative to `onto` instead of `folder`. Both are paths from the project's root."""
    if folder == onto:
        return place
    return replace(place, file=posixpath.relpath(posixpath.join(folder, place.file), onto or "."), phase=None)


def _merge_findings(group: Sequence[Finding]) -> Finding:
    """Return the first finding with the locations of all findings.

    If the targets of the findings differ, the returned finding reports the missing folder.
    """
    first = group[0]
    if len(group) == 1:
        return first
    cause, message = first.cause, first.message
    if any(finding.cause != cause for finding in group):
        cause, message = f"{first.folder}/", f"The folder `{first.folder}` does not exist."
    also = tuple(dict.fromkeys(text for finding in group for text in finding.also))
    places = tuple(place for finding in group for place in finding.locations)
    return replace(first, cause=cause, message=message, also=also, locations=places)
