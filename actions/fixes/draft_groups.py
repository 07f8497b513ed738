"""Group findings that one draft fixes: of one pattern with the same message, or in lines of one list."""

from collections.abc import Hashable, Iterator, Sequence

from actions.patterns.page import CUSTOM
from actions.skill import Skill
from schemas.issues import Issue

_MOST = 12
"""Maximum number of findings that one draft fixes."""


def group_for_drafts(issues: Sequence[Issue], skill: Skill) -> list[tuple[Issue, ...]]:
    """Group findings; the groups are in the order of their first findings."""
    groups: list[list[Issue]] = []
    known: dict[Hashable, list[Issue]] = {}
    for issue in issues:
        traits = [*_traits(issue, skill)]
        group = next((known[one] for one in traits if len(known.get(one, ())) in range(1, _MOST)), None)
        if group is None:
            groups.append(group := [])
        group.append(issue)
        known |= dict.fromkeys(traits, group)
    return [tuple(group) for group in groups]


def _traits(issue: Issue, skill: Skill) -> Iterator[tuple[Hashable, ...]]:
    """Yield the keys by which a finding is grouped: pattern and message, then pattern and block of lines."""
    file, line = skill.by_path.get(issue.location.file), issue.location.line_start
    if issue.pattern != CUSTOM:
        yield issue.pattern, issue.description
        if file and line:
            yield issue.pattern, file.path, file.doc.stretch(line).start
