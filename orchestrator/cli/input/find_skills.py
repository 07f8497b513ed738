"""Find the skills that the arguments of a command name."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from orchestrator.errors import BadInput
from orchestrator.fs.home import parse_path
from orchestrator.project.skill_finder import find_skill, find_skills_below, is_skill


def find_skills(arguments: Sequence[str], *, only_in_skills: bool = False) -> list[str]:
    """Return each skill once: the folders that are named, those below a folder, those that contain a file.

    An argument without a skill is returned unchanged, so that it is reported. only_in_skills: leave it out, unless it
    looks like a mistyped option.
    """
    found: dict[str, str] = {}
    for argument in arguments:
        for path in _find_in_argument(argument, only_in_skills):
            found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def find_project_folders(arguments: Sequence[str]) -> list[Path]:
    """Return the arguments that are folders and no skills: the units of other kinds below them are checked as well."""
    paths = (parse_path(argument) for argument in arguments if argument)
    return [path for path in paths if os.path.isdir(path) and not is_skill(path)]  # noqa: PTH112 - no error for odd names


def _find_in_argument(argument: str, only_in_skills: bool) -> Iterable[str]:
    if not argument:
        raise BadInput("an argument is empty; give the folder of a skill")
    try:
        below = find_skills_below(parse_path(argument))
        return map(str, below) if below else [str(find_skill(argument))]
    except BadInput:
        is_option = argument.startswith("-") and not os.path.lexists(argument)
        return [] if only_in_skills and not is_option else [argument]
