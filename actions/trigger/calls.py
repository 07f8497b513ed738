"""Resolve the skill name in a call."""

from collections.abc import Sequence

from actions.project.listing import ListedSkill


def resolve_name(called: str, skills: Sequence[ListedSkill]) -> str:
    """Return the full name of the called skill. The name of a built-in skill is returned unchanged.

    The CLI 2.1.330 accepts the full name, the name in parentheses, and the name of a plugin's skill without the plugin.
    """
    name = called.strip().removeprefix("/")
    for find in (_get_name, _get_label, _get_short_name):
        if named_skill := next((skill for skill in skills if find(skill) == name), None):
            return named_skill.name
    return name


def _get_name(skill: ListedSkill) -> str:
    return skill.name


def _get_label(skill: ListedSkill) -> str:
    return skill.label


def _get_short_name(skill: ListedSkill) -> str:
    return skill.name.rpartition(":")[2]
