"""Which skills a command is to look at: what its arguments name, each skill once."""

import os
from collections.abc import Iterable, Sequence

from orchestrator.errors import BadInput
from orchestrator.fs.home import parse_path
from orchestrator.project.skill_finder import find_skill, find_skills_below


def subjects(arguments: Sequence[str], *, only_in_skills: bool = False) -> list[str]:
    """Give the skills that arguments name: folders, those below folders, those that hold a file.

    An argument that names none is given as it is, to be told of; `only_in_skills` leaves it out, but for a mere option.
    """
    found: dict[str, str] = {}
    for argument in arguments:
        for path in _named(argument, only_in_skills):
            found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def _named(argument: str, only_in_skills: bool) -> Iterable[str]:
    if not argument:
        raise BadInput("an empty name names no skill; give a folder")
    try:
        below = find_skills_below(parse_path(argument))
        return map(str, below) if below else [str(find_skill(argument))]
    except BadInput:
        is_option = argument.startswith("-") and not os.path.lexists(argument)
        return [] if only_in_skills and not is_option else [argument]
