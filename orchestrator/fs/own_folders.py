"""Name, find and note this user's own folders in a project: the work dirs of runs, and the folders of trials.

A cloned project may contain a `.workflow` folder, whose contents a resumed run would follow. Therefore each trusted
folder has a note in the user's state folder, with the skill that it may change.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path

from orchestrator.errors import Refused
from orchestrator.fs.disk import wrap_os_errors
from orchestrator.fs.durable import ensure_private_dir
from orchestrator.fs.notes import WORK_DIRS, get_note_file, read_record, write_note
from orchestrator.fs.paths import real
from orchestrator.fs.project_root import find_project_root

INVALID_CHARACTERS = re.compile(r"[^\w.-]+")
"""Characters that are replaced in the names of such folders."""


def name_by_time(kind: str, skill: Path, now: datetime) -> Path:
    """Return a new path below the project's folder `kind`, named by time and skill. It does not exist yet."""
    project = _move_out_of_skill(Path(find_project_root()), skill.resolve())
    ensure_private_dir(project / kind.split("/")[0])
    name = INVALID_CHARACTERS.sub("-", skill.resolve().name).strip("-.")[:60] or "skill"
    base, folders = f"{now:%Y%m%d-%H%M%S}-{name}", {project / kind, *list_folders(kind)}
    ids = (base if n == 1 else f"{base}-{n}" for n in count(1))
    return project / kind / next(id for id in ids if not any((folder / id).exists() for folder in folders))


def _move_out_of_skill(project: Path, skill: Path) -> Path:
    """Return the project, or the skill's parent folder if the project is inside the skill."""
    return skill.parent if project.resolve().is_relative_to(skill) else project


def list_folders(kind: str) -> list[Path]:
    """Return the existing folders `kind` in the project and in each folder from it to the working directory.
    If there are none, return the nearest one further up.
    """
    project, above = Path(find_project_root()).resolve(), (Path.cwd(), *Path.cwd().parents)
    inside = above[: above.index(project) + 1] if project in above else (above[0], project)
    found = [folder / kind for folder in inside if (folder / kind).is_dir()]
    return found or [folder / kind for folder in above if (folder / kind).is_dir()][:1]


@dataclass(frozen=True)
class _Note:
    """A work dir, and the only skill that its run may change (both real paths).
    For another unit, `skill` is its file, and `project` the folder in which fixes may change files.
    """

    work_dir: str
    skill: str
    project: str = ""


def make_known(work_dir: Path, skill: Path, project: str | None = None) -> None:
    """Note that `work_dir` belongs to the user and may change `skill`, or another unit in a project.

    Raises WriteFailed.
    """
    path = real(work_dir)
    with wrap_os_errors(f"cannot note {work_dir} in {get_note_file(WORK_DIRS, path)}"):
        write_note(WORK_DIRS, path, _Note(str(path), str(real(skill)), project or ""))


def is_known(work_dir: Path) -> bool:
    """Return whether `work_dir` belongs to the user."""
    return read_skill_path(work_dir) is not None


def ensure_known(work_dir: Path) -> None:
    """Raise Refused unless `work_dir` belongs to the user."""
    if not is_known(work_dir):
        raise Refused(
            f"{work_dir}: none of your runs created this work dir (it came with the project, or was moved), so it may "
            f"not change anything; if you know its contents, run `tune-skill trust {work_dir}`"
        )


def read_skill_path(work_dir: Path) -> str | None:
    """Return the skill or other unit that `work_dir` may change; None if the work dir does not belong to the user."""
    note = _read_note(work_dir)
    return note.skill if note else None


def read_project_path(work_dir: Path) -> str:
    """Return the project of the unit that `work_dir` may change; "" for a skill."""
    note = _read_note(work_dir)
    return note.project if note else ""


def _read_note(work_dir: Path) -> _Note | None:
    note = read_record(WORK_DIRS, real(work_dir), _Note)
    return note if note and note.work_dir == str(real(work_dir)) else None
