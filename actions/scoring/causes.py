"""Merge findings with the same cause into one finding with all their locations."""

from collections.abc import Sequence
from dataclasses import replace

from actions.grouping import group_by_key
from actions.patterns.pattern import Finding

Key = tuple[str, ...]
SAME_CAUSE = "the same cause as "
"""The reason for suppressing a finding that another unit reports; its location follows."""


def find_causes(findings: Sequence[Finding]) -> list[Key]:
    """Return a cause key for each finding. Findings with equal keys have the same cause.

    The cause of a dead path is the missing folder if several findings name different targets in it, otherwise the
    target. Suppressed and open findings never share a key. A finding without a cause has a unique key.
    """
    targets = group_by_key((_folder_of(f), f.cause) for f in findings if f.folder)
    shared = {folder for folder, names in targets.items() if len(set(names)) > 1}
    return [
        _folder_of(f) if f.folder and _folder_of(f) in shared else (*_scope_of(f), f.cause or f"\0{n}")
        for n, f in enumerate(findings)
    ]


def join_by_cause(findings: Sequence[Finding]) -> list[Finding]:
    """Merge the findings of each cause, in the order of their first locations."""
    groups = group_by_key(zip(find_causes(findings), findings, strict=True))
    return [_join(group) for group in groups.values()]


def join_across_units(units: Sequence[Sequence[Finding]]) -> list[list[Finding]]:
    """Merge the open findings with the same cause in several units of a project. Return the findings of each unit.

    The first unit among those with the most severe finding reports it, with all locations; in the others it is
    suppressed.
    """
    out = [list(findings) for findings in units]
    opened = [(n, i) for n, found in enumerate(units) for i, f in enumerate(found) if f.cause and not f.suppressed_by]
    opened.sort(key=lambda at: units[at[0]][at[1]].severity.rank)
    causes = find_causes([units[n][i] for n, i in opened])
    for group in group_by_key(zip(causes, opened, strict=True)).values():
        (owner, place), *rest = group
        joined = _join([units[n][i] for n, i in group])
        out[owner][place] = joined
        for n, i in rest:
            out[n][i] = replace(units[n][i], suppressed_by=f"{SAME_CAUSE}{joined.file}:{joined.line}")
    return out


def _scope_of(finding: Finding) -> Key:
    return finding.pattern.id, finding.suppressed_by or ""


def _folder_of(finding: Finding) -> Key:
    return (*_scope_of(finding), "folder", finding.folder)


def _join(group: Sequence[Finding]) -> Finding:
    """Return the first finding with the locations of all. If their targets differ, it reports the missing folder."""
    first = group[0]
    if len(group) == 1:
        return first
    cause, message = first.cause, first.message
    if any(one.cause != cause for one in group):
        cause, message = f"{first.folder}/", f"The folder `{first.folder}` does not exist."
    also = tuple(dict.fromkeys(text for one in group for text in one.also))
    places = tuple(place for one in group for place in one.locations)
    return replace(first, cause=cause, message=message, also=also, locations=places)
