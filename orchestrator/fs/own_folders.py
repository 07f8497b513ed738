"""Name, find and remember this user's own folders in a project: the work dirs of runs, and the folders of trials.

A cloned project can bring a `.workflow` folder, and resuming a run obeys its contents. Therefore a note in the user's
state folder, not in the project, lists the trusted folders and the skill that each may change.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path

from orchestrator.errors import Refused
from orchestrator.fs.disk import wrap_os_errors
from orchestrator.fs.durable import ensure_private_dir
from orchestrator.fs.notes import WORK_DIRS, note_file, read_record, write_note
from orchestrator.fs.paths import real
from orchestrator.fs.project_root import find_project_root

ODD = re.compile(r"[^\w.-]+")
"""Characters that the name of such a folder does not have."""


def name_by_time(kind: str, skill: Path, now: datetime) -> Path:
    """Return a new path below the project's folder `kind`, named by time and skill. It does not exist yet."""
    project = _outside(Path(find_project_root()), skill.resolve())
    ensure_private_dir(project / kind.split("/")[0])
    name = ODD.sub("-", skill.resolve().name).strip("-.")[:60] or "skill"
    base, places = f"{now:%Y%m%d-%H%M%S}-{name}", {project / kind, *folders_of(kind)}
    ids = (base if n == 1 else f"{base}-{n}" for n in count(1))
    return project / kind / next(id for id in ids if not any((place / id).exists() for place in places))


def _outside(project: Path, skill: Path) -> Path:
    """Return the project, or the folder above the skill if the project is inside the skill."""
    return skill.parent if project.resolve().is_relative_to(skill) else project


def folders_of(kind: str) -> list[Path]:
    """Return the existing folders `kind` of the project and of each folder between it and the working directory.

    If there are none, return the nearest one above.
    """
    project, above = Path(find_project_root()).resolve(), (Path.cwd(), *Path.cwd().parents)
    inside = above[: above.index(project) + 1] if project in above else (above[0], project)
    found = [folder / kind for folder in inside if (folder / kind).is_dir()]
    return found or [folder / kind for folder in above if (folder / kind).is_dir()][:1]


@dataclass(frozen=True)
class _Note:
    """A work dir, and the only skill that its run may change (both real paths).

    Of another unit, `skill` is the file, and `project` the folder in which fixes of that unit may change files.
    """

    work_dir: str
    skill: str
    project: str = ""


def make_known(work_dir: Path, skill: Path, project: str | None = None) -> None:
    """Note that `work_dir` belongs to the user and may change `skill`, which may be another unit in a project.

    Raises WriteFailed.
    """
    path = real(work_dir)
    with wrap_os_errors(f"cannot note {work_dir} in {note_file(WORK_DIRS, path)}"):
        write_note(WORK_DIRS, path, _Note(str(path), str(real(skill)), project or ""))


def is_known(work_dir: Path) -> bool:
    """Return whether `work_dir` belongs to the user."""
    return skill_of(work_dir) is not None


def ensure_known(work_dir: Path) -> None:
    """Raise Refused unless `work_dir` belongs to the user."""
    if not is_known(work_dir):
        raise Refused(
            f"{work_dir}: none of your runs created this work dir (it came with the project, or was moved), so it may "
            f"not change anything; if you know its contents, run `tune-skill trust {work_dir}`"
        )


def skill_of(work_dir: Path) -> str | None:
    """Return the skill or other unit that `work_dir` may change; None if the work dir does not belong to the user."""
    note = _read_note(work_dir)
    return note.skill if note else None


def project_of(work_dir: Path) -> str:
    """Return the project of the unit that `work_dir` may change; "" for a skill."""
    note = _read_note(work_dir)
    return note.project if note else ""


def _read_note(work_dir: Path) -> _Note | None:
    note = read_record(WORK_DIRS, real(work_dir), _Note)
    return note if note and note.work_dir == str(real(work_dir)) else None
