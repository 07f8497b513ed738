"""A skill on its way to a worker: what it holds, not where it lies, so that a worker needs no disk of ours."""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from actions.skill import Skill
from actions.skill.settings import Settings
from orchestrator.engine.units import ScanOptions, find_unit
from orchestrator.errors import BadInput, all_asked
from orchestrator.fs import nofollow
from orchestrator.fs.durable import encode_value
from orchestrator.fs.home import parse_path
from orchestrator.project.skill_finder import find_skill, find_skills_below, is_skill
from orchestrator.version import version
from schemas.codec import to_json
from schemas.vocabulary import SCHEMA_VERSION


@dataclass(frozen=True)
class Parcel:
    """A skill and what was set for it. `key` is the hash of all that its result depends on, and of its path."""

    key: str
    path: str
    skill: Skill
    settings: Settings


def skills_in(folders: Sequence[str]) -> list[Path]:
    """Give the skills in and below folders, each once. A folder that holds none is given itself, to be told of.

    Raises BadInput where no folder holds any.
    """
    found: dict[Path, None] = {}
    for folder in folders:
        given = parse_path(folder)
        found.update(dict.fromkeys(map(_real, find_skills_below(given) or (given,))))
    if not any(map(is_skill, found)):
        all_asked(*(partial(find_skill, folder) for folder in folders))
    return list(found)


def _real(path: Path) -> Path:
    """Return a path without links; one that a project's link leads out of stays as it is, to be refused."""
    return path if nofollow.is_link_out(str(path)) else Path(os.path.realpath(path))


def parcel_of(path: Path, options: ScanOptions) -> Parcel:
    """Read a skill. Raises BadInput when it cannot be read."""
    case = find_unit(str(path), options).case
    skill, settings = case.skill, case.settings
    files = [(file.path, file.sha256) for file in skill.files]
    content = (skill.folder, files, to_json(skill.opaque), skill.notes, sorted(skill.outside), to_json(settings))
    return Parcel(_key(str(path), content), str(path), skill, settings)


def unread(path: Path, error: BadInput) -> dict[str, Any]:
    """Give the record of a skill that could not be read."""
    return failed(_key(str(path), str(error)), str(path), str(error))


def failed(key: str, path: str, error: str) -> dict[str, Any]:
    """Give the record of a skill that could not be looked at, and why."""
    return record(key, path, {"schema_version": SCHEMA_VERSION, "skill": {"path": path}, "error": error})


def record(
    key: str,
    path: str,
    diagnosis: Mapping[str, Any],
    files: Iterable[Mapping[str, Any]] = (),
    passages: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Give the record of a skill as `fleet_record.schema.json` says; `diagnosis` is what `diagnose` prints as JSON."""
    return {"key": key, "path": path, "diagnosis": diagnosis, "files": list(files), "passages": list(passages)}


def _key(path: str, content: Any) -> str:
    return hashlib.sha256(encode_value([version(), path, content])).hexdigest()[:32]
