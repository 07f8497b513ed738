"""Findings that are mended together: one pattern says the same of several places, or meets lines of one list."""

from collections.abc import Sequence

from actions.scoring.issues import CUSTOM
from actions.skill import Skill
from schemas.issues import Issue

_MOST = 12
"""Findings that one draft mends."""


def families(issues: Sequence[Issue], skill: Skill) -> list[tuple[Issue, ...]]:
    """Return the findings in groups, in the order of the first of each."""
    groups: list[list[Issue]] = []
    for issue in issues:
        kin = (group for group in groups if len(group) < _MOST and any(_is_kin(one, issue, skill) for one in group))
        if (group := next(kin, None)) is None:
            groups.append(group := [])
        group.append(issue)
    return [tuple(group) for group in groups]


def _is_kin(one: Issue, other: Issue, skill: Skill) -> bool:
    if one.pattern != other.pattern or one.pattern == CUSTOM:
        return False
    return one.description == other.description or _list(one, skill) == _list(other, skill) is not None


def _list(issue: Issue, skill: Skill) -> tuple[str, int] | None:
    """Return the file and the first line of the lines without a gap in which a finding stands."""
    file, line = skill.by_path.get(issue.location.file), issue.location.line_start
    return (file.path, file.doc.stretch(line).start) if file and line else None
