"""Name, find and trust this user's own folders in a project: the work dirs of runs, and the folders of trials.

A cloned project may contain a `.workflow` folder, whose contents a resumed run would follow. Therefore a work dir is
trusted only if a note in the user's state folder says so; the note also says which skill it may change.
"""

from datetime import datetime
from itertools import count
from pathlib import Path

import msgspec

from actions.regex import regex
from orchestrator.errors import Refused
from orchestrator.fs.disk import wrap_os_errors
from orchestrator.fs.durable import ensure_private_dir
from orchestrator.fs.notes import WORK_DIRS, get_note_file, read_record, write_note
from orchestrator.fs.paths import real
from orchestrator.fs.project_root import find_project_root

INVALID_CHARACTERS = regex(r"[^\w.-]+")
"""Characters that are replaced in the names of these folders."""


def choose_path(kind: str, skill: Path, now: datetime) -> Path:
    """Choose an unused path, named by time and skill, in the project's folder `kind`; create only its top folder.

    No other kind has the same name, because commands accept both runs and improvements by name. Raises WriteFailed.
    """
    project = _move_out_of_skill(Path(find_project_root()), skill.resolve())
    ensure_private_dir(project / kind.split("/")[0])
    skill_name = INVALID_CHARACTERS.sub("-", skill.resolve().name).strip("-.")[:60] or "skill"
    base = f"{now:%Y%m%d-%H%M%S}-{skill_name}"
    own_folders = {folder.parent for folder in (project / kind, *list_folders(kind))}

    def is_used(name: str) -> bool:
        return any(next(folder.glob(f"*/{name}"), None) for folder in own_folders)

    names = (base if number == 1 else f"{base}-{number}" for number in count(1))
    return project / kind / next(name for name in names if not is_used(name))


def _move_out_of_skill(project: Path, skill: Path) -> Path:
    """Return the project, or the skill's parent folder if the project is inside the skill."""
    return skill.parent if project.resolve().is_relative_to(skill) else project


def list_folders(kind: str) -> list[Path]:
    """Return the `kind` folders between the working directory and the project root; else the nearest one above it."""
    project, upwards = Path(find_project_root()).resolve(), (Path.cwd(), *Path.cwd().parents)
    up_to_project = upwards[: upwards.index(project) + 1] if project in upwards else (upwards[0], project)
    found = [folder / kind for folder in up_to_project if (folder / kind).is_dir()]
    return found or [folder / kind for folder in upwards if (folder / kind).is_dir()][:1]


class _Note(msgspec.Struct, frozen=True):
    """A trusted work dir, and the only skill that its run may change (both real paths).
    For another unit, `skill` is the unit's file, and `project` the folder in which fixes may change files.
    """

    work_dir: str
    skill: str
    project: str = ""


def trust_work_dir(work_dir: Path, skill: Path, project: str | None = None) -> None:
    """Trust `work_dir` to change `skill`, or another unit in `project`. Raises WriteFailed."""
    path = real(work_dir)
    with wrap_os_errors(f"cannot record {work_dir} as yours in {get_note_file(WORK_DIRS, path)}"):
        write_note(WORK_DIRS, path, _Note(str(path), str(real(skill)), project or ""))


def is_trusted(work_dir: Path) -> bool:
    """Return whether the user trusts `work_dir`: one of the user's runs created it, or `tune-skill trust` was run."""
    return read_trusted_skill(work_dir) is not None


def ensure_trusted(work_dir: Path) -> None:
    """Raise Refused unless `work_dir` is trusted."""
    if not is_trusted(work_dir):
        raise Refused(
            f"{work_dir}: none of your runs created this work dir (it came with the project, or was moved), so it may "
            f"not change anything; if you know its contents, run `tune-skill trust {work_dir}`"
        )


def read_trusted_skill(work_dir: Path) -> str | None:
    """Return the path of the skill or other unit that `work_dir` may change; None if the work dir is not trusted."""
    note = _read_note(work_dir)
    return note.skill if note else None


def read_trusted_project(work_dir: Path) -> str:
    """Return the path of the project of the unit that `work_dir` may change; "" for a skill."""
    note = _read_note(work_dir)
    return note.project if note else ""


def _read_note(work_dir: Path) -> _Note | None:
    note = read_record(WORK_DIRS, real(work_dir), _Note)
    return note if note and note.work_dir == str(real(work_dir)) else None
