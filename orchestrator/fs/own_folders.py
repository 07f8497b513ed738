"""Name, find and trust this user's own folders in a project: the work dirs of runs, and the folders of trials.

A cloned project can contain a `.workflow` folder, and a resumed run would follow its contents. Therefore a work dir is
trusted only if a note in the user's state folder says so. The note also says which skill the run is allowed to change.
"""

from datetime import datetime
from itertools import count
from pathlib import Path

import msgspec

from actions.regex import regex
from actions.reporting.hints import quote_argument
from orchestrator.errors import Refused
from orchestrator.fs.disk import wrap_os_errors
from orchestrator.fs.durable import ensure_private_dir
from orchestrator.fs.notes import WORK_DIRS, get_note_file, read_record, write_note
from orchestrator.fs.paths import resolve_links
from orchestrator.fs.project_root import find_project_root

WORKFLOW = ".workflow"
"""The folder of a project that contains these folders."""
INVALID_CHARACTERS = regex(r"[^\w.-]+")
"""Characters that are replaced in the names of these folders."""


def choose_path(kind: str, skill: Path, now: datetime) -> Path:
    """Choose an unused path in the project's folder `kind`, named after the time and the skill.

    The name is not used in the folders of other kinds either, because commands accept both runs and improvements by
    name. Only the top folder is created. Raises WriteFailed if that fails.
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


def list_folders(kind: str, start: Path | None = None) -> list[Path]:
    """Return the `kind` folders from `start` (default: the working directory) up to the project root.

    If there are none, the nearest one above the project root is returned. `start` is absolute and has no links.
    """
    first = start or Path.cwd()
    project, upwards = Path(find_project_root(str(start or ""))).resolve(), (first, *first.parents)
    up_to_project = upwards[: upwards.index(project) + 1] if project in upwards else (upwards[0], project)
    folders = [folder / kind for folder in up_to_project if (folder / kind).is_dir()]
    return folders or [folder / kind for folder in upwards if (folder / kind).is_dir()][:1]


def is_in_project(folder: Path, kind: str, skill: Path) -> bool:
    """Return whether `folder` is a folder of `kind` in this project. It need not exist any more.

    `skill` is the real path of the skill or other unit that the folder was created for.
    """
    own_folder = _move_out_of_skill(Path(find_project_root()), skill) / kind
    return folder.parent.resolve() in {path.resolve() for path in (own_folder, *list_folders(kind))}


def find_holding_project(work_dir: Path) -> Path:
    """Return the project that holds a work dir: the folder with its `.workflow`, else the project of its path."""
    path = resolve_links(work_dir)
    workflow = next((folder for folder in path.parents if folder.name == WORKFLOW), None)
    return workflow.parent if workflow else Path(find_project_root(str(path)))


class _Note(msgspec.Struct, frozen=True):
    """A trusted work dir, and the only skill that its run is allowed to change, as paths without links.

    For another unit, `skill` is the unit's file, and `project` is the folder in which fixes can change files.
    """

    work_dir: str
    skill: str
    project: str = ""


def trust_work_dir(work_dir: Path, skill: Path, project: str | None = None) -> None:
    """Trust `work_dir` to change `skill`, or another unit in `project`. Raises WriteFailed."""
    path = resolve_links(work_dir)
    with wrap_os_errors(f"cannot record {work_dir} as yours in {get_note_file(WORK_DIRS, path)}"):
        write_note(WORK_DIRS, path, _Note(str(path), str(resolve_links(skill)), project or ""))


def is_trusted(work_dir: Path) -> bool:
    """Return whether a run of this user created `work_dir`, or the user trusted it with `tune-skill trust`."""
    return read_trusted_skill(work_dir) is not None


def ensure_trusted(work_dir: Path) -> None:
    """Raise Refused unless `work_dir` is trusted."""
    if not is_trusted(work_dir):
        raise Refused(
            f"{work_dir}: {explain_distrust(work_dir)}, so it may not change anything; if you know its contents, run "
            f"`tune-skill trust {quote_argument(work_dir)}`"
        )


def explain_distrust(work_dir: Path) -> str:
    """Return a clause that says why a work dir is not trusted."""
    if (file := get_note_file(WORK_DIRS, resolve_links(work_dir))).exists():
        return f"the note that you created this work dir is damaged ({file})"
    return "none of your runs created this work dir (it came with the project, or was moved)"


def read_trusted_skill(work_dir: Path) -> str | None:
    """Return the path of the unit that the run in `work_dir` may change, or None if `work_dir` is not trusted."""
    note = _read_note(work_dir)
    return note.skill if note else None


def read_trusted_project(work_dir: Path) -> str:
    """Return the project of the unit that the run in `work_dir` may change, or "" for a skill."""
    note = _read_note(work_dir)
    return note.project if note else ""


def _read_note(work_dir: Path) -> _Note | None:
    note = read_record(WORK_DIRS, resolve_links(work_dir), _Note)
    return note if note and note.work_dir == str(resolve_links(work_dir)) else None
