"""The name of a skill: what is well-formed, what a badly written one stands for, and what is nearly the same."""

import re

from actions.model.skill import Skill

_WELL_FORMED = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_APART = re.compile(r"[\s_.:]+|(?<=[a-z0-9])(?=[A-Z])")
_VERSION = re.compile(r"-v?\d+\Z")
_LONGEST = 64
_ANY_FOLDER = frozenset({"skill", "skills", "src", "main", "before", "after", "plugin", "repo", "template"})


def is_well_formed(name: str) -> bool:
    """Tell whether a name is of 1 to 64 lower-case letters, digits and single hyphens."""
    return len(name) <= _LONGEST and bool(_WELL_FORMED.match(name))


def as_slug(name: str) -> str:
    """Give a name as the rule wants it: `Code Review_Kit` and `CodeReviewKit` become `code-review-kit`."""
    return _APART.sub("-", name.strip()).lower()


def folder_name(skill: Skill) -> str | None:
    """Give the folder's name where it can be the skill's: well-formed, and not a name that any folder may have."""
    return skill.folder if is_well_formed(skill.folder) and skill.folder not in _ANY_FOLDER else None


def is_variant(name: str, real: str) -> bool:
    """Tell whether a name is the real one written otherwise: case, spaces, a version or one affix more or less."""
    one, other = as_slug(name), as_slug(real)
    if name == real or not one or not other:
        return False
    if one == other or _VERSION.sub("", one) == _VERSION.sub("", other):
        return True
    return one.replace("-", "") == other.replace("-", "")
