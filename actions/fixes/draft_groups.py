"""Group findings that one draft can fix: same pattern, and either same message or same list or paragraph."""

from collections.abc import Hashable, Iterator, Sequence

from actions.patterns.page import CUSTOM
from actions.skill import Skill
from schemas.issues import Issue

_MAX_FINDINGS = 12
"""Maximum number of findings that one draft fixes."""


def group_for_drafts(issues: Sequence[Issue], skill: Skill) -> list[tuple[Issue, ...]]:
    """Group findings that one draft can fix. The groups are in the order of their first findings."""
    groups: list[list[Issue]] = []
    groups_by_key: dict[Hashable, list[Issue]] = {}
    for issue in issues:
        keys = [*_list_group_keys(issue, skill)]
        group = next(
            (groups_by_key[key] for key in keys if len(groups_by_key.get(key, ())) in range(1, _MAX_FINDINGS)), None
        )
        if group is None:
            groups.append(group := [])
        group.append(issue)
        groups_by_key |= dict.fromkeys(keys, group)
    return [tuple(group) for group in groups]


def _list_group_keys(issue: Issue, skill: Skill) -> Iterator[tuple[Hashable, ...]]:
    """Yield the keys by which a finding is grouped: first pattern and message, then pattern and list or paragraph."""
    file, line = skill.by_path.get(issue.location.file), issue.location.line_start
    if issue.pattern != CUSTOM:
        yield issue.pattern, issue.description
        if file and line:
            yield issue.pattern, file.path, file.doc.passage_at(line).start
