"""Find skills on disk: the skill that an argument names, the one that contains a file, and all below a folder."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from actions.project.plugins import MANIFEST, MARKETPLACE
from actions.skill.paths import MAIN
from orchestrator.errors import BadInput
from orchestrator.fs import nofollow
from orchestrator.fs.home import claude_folder, parse_path
from orchestrator.fs.walk import walk_folders
from orchestrator.project.outside_skill import LEFT_OUT, select_folders
from orchestrator.project.settings import get_current_project
from orchestrator.project.unit_finder import LocatedUnit, find_named_unit, list_names, list_paths, list_units_around
from schemas.vocabulary import UnitKind
from templates.filters import did_you_mean

_OWN_UNITS = ".claude"
"""The folder from which Claude Code loads the units of a project."""
_MAX_SUGGESTIONS = 5
"""Maximum number of skills that a message suggests for a folder that contains skills."""


def find_skill(
    argument: str,
    list_known: Callable[[], Sequence[LocatedUnit]] | None = None,
    otherwise: str = f"a skill is a folder with a {MAIN}",
) -> Path:
    """Return the folder of the skill that `argument` names. Raises BadInput if there is no such skill.

    The argument is the folder of the skill, a file in this folder, or the name of the skill. A name is looked up as
    by Claude Code: in the project, then in the user's folder. After that, all skills of the project are searched,
    including those of its plugins. list_known: lists the units to suggest. otherwise: the advice for a folder
    without a skill.
    """
    path = find_skill_of_name(argument) or parse_path(argument)
    try:
        path.stat()
    except (OSError, ValueError) as error:
        problem = "no such file or folder" if isinstance(error, FileNotFoundError) else str(error)
        nearby = _list_skills(argument.rstrip("/").rpartition("/")[0])
        units = (list_known or list_project_skills)()
        paths = list_paths(units)
        folders = {str(parent) for path in paths for parent in Path(path).parents if parent.name}
        known = [*_list_named_skills(), *nearby, *(list_names(units) if is_name(argument) else [*paths, *folders])]
        hint = _explain_missing_skill(argument, units) or did_you_mean(argument, known, "give the folder of a skill")
        raise BadInput(f"{argument}: {problem}{hint}") from None
    skill = path if is_skill(path) else None
    if not path.is_dir():
        skill = find_skill_above(path)
    if skill is None:
        raise BadInput(_explain_no_skill(argument, path, otherwise))
    return _ensure_in_project(skill, argument)


def _explain_no_skill(argument: str, path: Path, otherwise: str) -> str:
    """Return why an existing path is not a skill, with advice. otherwise: the default advice."""
    if os.path.lexists(path / MAIN):
        return f"{path / MAIN}: not a regular file; a skill is a folder with a {MAIN}"
    skills_inside = _list_skills(argument)[:_MAX_SUGGESTIONS]
    hint = f"name one of the skills in it: {', '.join(skills_inside)}" if skills_inside else otherwise
    kind = "file" if path.is_file() else "device, pipe or socket"
    problem = f"no {MAIN} in this folder" if path.is_dir() else f"this {kind} belongs to no skill or other unit"
    return f"{argument}: {problem}; {_find_wrong_case(path) or hint}"


def _explain_missing_skill(argument: str, units: Sequence[LocatedUnit]) -> str:
    """Return advice if a skill's file is misnamed or the units are in other folders, else ""."""
    if units and parse_path(argument).absolute() in (Path.cwd() / ".claude", Path.cwd() / ".claude" / "skills"):
        return "; the project has its units in other folders: give `.` for all of them"
    folder = argument.rpartition(":")[2]
    files = units[0].project.files if units and is_name(argument) else ()
    misnamed = (path for path in files if path.lower().endswith(f"{folder}/{MAIN}".lower()) and not path.endswith(MAIN))
    return next((f"; found {path}: rename it to {MAIN}" for path in misnamed if Path(path).parent.name == folder), "")


def find_skill_above(path: Path) -> Path | None:
    """Return the nearest skill above a file, or None. Raises BadInput if a link leads out of the project."""
    folders = (path.parent, *Path(os.path.realpath(path.parent)).parents)
    found = next(filter(is_skill, folders), None)
    return _ensure_in_project(found, str(path)) if found else None


def find_skills_below(folder: Path) -> list[Path]:
    """Return the skills below a folder, sorted. If it has units of its own, it may be one of them.

    Below a skill, only those in `.claude` are skills, too. Skips vendored folders. Links to folders are not followed,
    but a link to a skill is included.
    """
    if is_lone_skill(folder) and not (folder / _OWN_UNITS).is_dir():
        return []
    found: list[Path] = []
    for parent, folders, files in walk_folders(folder):
        folders[:] = select_folders(parent, folders)
        if MAIN in files:
            found.append(Path(parent))
            if is_lone_skill(Path(parent)):
                folders[:] = [name for name in folders if name == _OWN_UNITS]
        links = (f"{parent}/{name}" for name in folders)
        found.extend(path for path in map(Path, filter(os.path.islink, links)) if is_skill(path))
    return sorted(found)


def is_skill(folder: Path) -> bool:
    """Return whether a folder contains a SKILL.md."""
    try:
        return (folder / MAIN).is_file()
    except (OSError, ValueError):
        return False


def is_lone_skill(folder: Path) -> bool:
    """Return whether a folder contains a SKILL.md and is not the root of a plugin, whose other folders are no part."""
    return is_skill(folder) and not any(os.path.lexists(folder / name) for name in (MANIFEST, MARKETPLACE))


def may_have_other_units(folder: Path) -> bool:
    """Return whether other units than one skill may be in a folder: it is no skill, or the root of a project."""
    return not is_lone_skill(folder) or any(os.path.lexists(folder / name) for name in (".git", _OWN_UNITS))


def measure_folder(folder: str) -> int:
    """Return the approximate size of a folder in bytes, without vendored folders, or 0 if it does not exist."""
    total = 0
    for parent, folders, files in walk_folders(folder):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        for name in files:
            with suppress(OSError):
                total += os.lstat(f"{parent}/{name}").st_size
    return total


def _find_wrong_case(folder: Path) -> str:
    """Return advice if the name of a SKILL.md has the wrong case, such as skill.md, else ""."""
    with suppress(OSError):
        misnamed = sorted(file.name for file in folder.iterdir() if file.name.lower() == MAIN.lower())
        return f"found {misnamed[0]}: rename it to {MAIN}" if misnamed else ""
    return ""


def _ensure_in_project(skill: Path, argument: str) -> Path:
    """Return a skill's path unchanged. Raises BadInput if a link in the path leads out of the project."""
    if nofollow.escapes_project(str(skill)):
        raise BadInput(f"{argument}: reached through a link out of its project; give the folder that it points to")
    return skill


def is_name(argument: str) -> bool:
    """Return whether an argument can only be the name of a unit, not a path: no file here has that name."""
    return not ("/" in argument or argument in ("", ".", "..", "~") or os.path.lexists(argument.replace("\0", "")))


def find_skill_of_name(name: str, list_known: Callable[[], Sequence[LocatedUnit]] | None = None) -> Path | None:
    """Return the folder of the skill with this name, or None. Raises BadInput if there are several.

    list_known: lists the units of the project, if the caller has read the project.
    """
    if not is_name(name):
        return None
    by_folder = next((folder / name for folder in _list_skill_folders() if is_skill(folder / name)), None)
    if by_folder:
        return by_folder
    skills = [located for located in (list_known or list_project_skills)() if located.unit.kind is UnitKind.SKILL]
    found = find_named_unit(name, skills)
    return found.unit_path if found else None


def list_project_skills() -> list[LocatedUnit]:
    """Return all skills of the project that the command runs in, including its plugins' skills."""
    return [located for located in list_units_around(Path.cwd()) if located.unit.kind is UnitKind.SKILL]


def _list_skill_folders() -> Iterator[Path]:
    """Yield the folders in which Claude Code looks for skills: those up to the project's root, then the user's."""
    top, cwd = get_current_project(), Path.cwd()
    for folder in (cwd, *cwd.parents):
        yield folder / ".claude" / "skills"
        if folder == top:
            break
    yield claude_folder() / "skills"


def _list_named_skills() -> list[str]:
    paths = (path for folder in _list_skill_folders() if folder.is_dir() for path in folder.iterdir())
    return [path.name for path in paths if is_skill(path)]


def _list_skills(folder: str) -> list[str]:
    """Return the paths of the skills in a folder ("" is the current one), as a user would type them."""
    try:
        with os.scandir(folder or ".") as entries:
            names = sorted(entry.name for entry in entries if is_skill(Path(entry.path)))
    except (OSError, ValueError):
        return []
    return [f"{folder.rstrip('/')}/{name}" if folder else name for name in names]
