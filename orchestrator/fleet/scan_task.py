"""Read skills into tasks, and run a task in a worker. A task contains the text of the skill."""

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import msgspec

from actions.case import Case
from actions.skill import Skill
from actions.skill.settings import Settings
from orchestrator.engine.rows import format_json
from orchestrator.engine.scan import scan_unit
from orchestrator.engine.units import LoadedUnit, ScanOptions, find_unit
from orchestrator.errors import BadInput, call_all
from orchestrator.fleet.text_hashes import hash_files, hash_passages
from orchestrator.fs import nofollow
from orchestrator.fs.durable import encode_value
from orchestrator.fs.home import parse_path
from orchestrator.project.exclusion import Exclusions
from orchestrator.project.projects import Projects
from orchestrator.project.settings import InvalidSettings
from orchestrator.project.skill_finder import find_skill, is_skill
from orchestrator.time_limit import run_limited
from orchestrator.version import version
from schemas.codec import to_json
from schemas.vocabulary import SCHEMA_VERSION

Run = Callable[["ScanTask"], Mapping[str, Any]]
"""Runs a task and returns its record. It is pickled by name, so workers must be able to import it."""


class ScanTask(msgspec.Struct, frozen=True):
    """A skill to scan, with its settings.

    `key` is a hash of the skill's path and of everything that affects the result. `stamp` identifies the state of the
    skill's project, whose files a worker reads from its own disk if they exist there.
    """

    key: str
    path: str
    skill: Skill
    settings: Settings
    stamp: str


def find_skills(folders: Sequence[str]) -> tuple[list[Path], int]:
    """Return the unique paths of the skills in and below folders, and the number of excluded skills.

    A folder without skills is returned itself, so that it is reported. Raises BadInput if no folder contains a skill.
    """
    skills: dict[Path, None] = {}
    exclusions, projects = Exclusions(), Projects()
    for folder in folders:
        path = parse_path(folder)
        skills.update(dict.fromkeys(map(_resolve, projects.find_skills_below(path) or (path,))))
    if not any(map(is_skill, skills)):
        call_all(*(partial(find_skill, folder) for folder in folders))
    included_paths = [path for path in skills if not _is_excluded(path, exclusions)]
    return included_paths, len(skills) - len(included_paths)


def _is_excluded(path: Path, exclusions: Exclusions) -> bool:
    """Return whether settings exclude a skill. Invalid settings exclude none; the scan reports them."""
    try:
        return exclusions.covers(path)
    except InvalidSettings:
        return False


def _resolve(path: Path) -> Path:
    """Resolve the links in a path, except a link that leads out of its project, which the scan refuses later."""
    return path if nofollow.escapes_project(str(path)) else Path(os.path.realpath(path))


def make_task(path: Path, options: ScanOptions) -> ScanTask:
    """Read the skill at `path` into a task. Raises BadInput if it cannot be read."""
    case = find_unit(str(path), options).case
    skill, settings, stamp = case.skill, case.settings, case.project.stamp
    files = [(file.path, file.sha256) for file in skill.files]
    content = (skill.folder, files, to_json(skill.opaque), skill.notes, stamp, to_json(settings))
    return ScanTask(_compute_key(str(path), content), str(path), skill, settings, stamp)


def run_task(task: ScanTask) -> Mapping[str, Any]:
    """Scan the skill of a task and return its record. Raises MemoryError if a check ran out of memory."""
    root, skill = Path(task.path), task.skill
    locate = _open_projects(task.stamp).locate(skill, root)
    row = scan_unit(
        LoadedUnit(root, Case(skill, settings=task.settings, limited=run_limited, locate=locate)), ScanOptions()
    )
    if any(error.startswith(MemoryError.__name__) for error in row.failed.values()):
        raise MemoryError
    return _make_record(task.key, task.path, format_json(row), hash_files(task.skill), hash_passages(task.skill))


@lru_cache(maxsize=4)
def _open_projects(stamp: str) -> Projects:
    """Return a project reader, which tasks of the same project (with the same stamp) share."""
    return Projects()


def make_unread_record(path: Path, error: BadInput) -> dict[str, Any]:
    """Return the record of a skill that could not be read."""
    return make_failed_record(_compute_key(str(path), str(error)), str(path), str(error))


def make_failed_record(key: str, path: str, error: str) -> dict[str, Any]:
    """Return the record of a skill that could not be scanned."""
    return _make_record(key, path, {"schema_version": SCHEMA_VERSION, "skill": {"path": path}, "error": error})


def _make_record(
    key: str,
    path: str,
    diagnosis: Mapping[str, Any],
    files: Iterable[Mapping[str, Any]] = (),
    passages: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return the record of a skill (`fleet_record.schema.json`).

    `diagnosis` is the JSON object that `tune-skill diagnose` prints for the skill.
    """
    return {"key": key, "path": path, "diagnosis": diagnosis, "files": list(files), "passages": list(passages)}


def _compute_key(path: str, content: Any) -> str:
    return hashlib.sha256(encode_value([version(), path, content])).hexdigest()[:32]
