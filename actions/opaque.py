"""The files of a skill that nobody looked into, in words."""

from actions.skill import Skill
from actions.skill.skill import NOT_TEXT

_NAMED = 20


def left_alone(skill: Skill) -> tuple[str, ...]:
    """Say which files are listed only. Pictures and the like, which nobody expects to be read, are not named."""
    odd = [o for o in skill.opaque if o.reason != NOT_TEXT]
    notes = (*skill.notes, *(f"{o.path}: left alone, {o.reason}" for o in odd[:_NAMED]))
    return (*notes, f"{len(odd) - _NAMED} more files were left alone") if len(odd) > _NAMED else notes
