"""Which skills a command is to look at: what its arguments name, each skill once."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from orchestrator.errors import BadInput
from orchestrator.readers import skill_root, skills_below


def subjects(arguments: Sequence[str], *, only_in_skills: bool = False) -> list[str]:
    """Give the skills that arguments name: folders, those below folders, those that hold a file.

    An argument that names none is given as it is, to be told of; `only_in_skills` leaves it out.
    """
    found: dict[str, str] = {}
    for argument in arguments:
        for path in _named(argument, only_in_skills):
            found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def _named(argument: str, only_in_skills: bool) -> Iterable[str]:
    below = skills_below(Path(argument).expanduser())
    if below:
        return map(str, below)
    try:
        return [str(skill_root(argument))]
    except BadInput:
        return [] if only_in_skills else [argument]
