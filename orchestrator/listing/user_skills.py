"""Read the user's skills and commands, which Claude Code lists before those of the project in every session."""

import json
import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from time import time
from typing import Any

from msgspec.structs import replace

from actions.project.listing import ListedSkill, read_listed_skill
from actions.project.units import Unit
from orchestrator.fs import nofollow
from orchestrator.fs.home import claude_folder, find_home
from schemas.vocabulary import UnitKind

_MAX_FILES, _MAX_BYTES = 2_000, 1_000_000
"""Maximum number of user files to read, and maximum size of each in bytes."""
_HALF_LIFE, _MIN_WEIGHT = 7, 0.1
"""The half-life, in days, of the weight of a skill's use, and the minimum weight (as in Claude Code 2.1.330)."""
_DAY_MS = 86_400_000


def read_user_skills() -> list[ListedSkill]:
    """Return the user's own skills, then the user's commands."""
    folder = claude_folder()
    skills = ((file.parent.name, UnitKind.SKILL, file) for file in _list_files(folder / "skills", "*/SKILL.md"))
    commands = (
        (":".join(file.relative_to(folder / "commands").with_suffix("").parts), UnitKind.COMMAND, file)
        for file in _list_files(folder / "commands", "**/*.md")
    )
    return [skill for name, kind, file in (*skills, *commands) for skill in _read_user_file(name, kind, file)]


def _list_files(folder: Path, glob: str) -> list[Path]:
    return sorted(islice((file for file in folder.glob(glob) if file.is_file()), _MAX_FILES))


def _read_user_file(name: str, kind: UnitKind, file: Path) -> Iterator[ListedSkill]:
    try:
        with file.open("rb") as stream:
            text = stream.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return
    yield replace(read_listed_skill(Unit(kind, str(file), name), text), source="user")


def read_uses() -> dict[str, float]:
    """Return the recent use of each skill as a number, weighted as in Claude Code.

    Returns {} if Claude Code has no record of uses.
    """
    folder = claude_folder() if os.environ.get("CLAUDE_CONFIG_DIR") else find_home()
    usage = read_user_json(folder / ".claude.json").get("skillUsage")
    now = time() * 1000
    return {name: _compute_weight(row, now) for name, row in usage.items()} if isinstance(usage, dict) else {}


def _compute_weight(row: object, now: float) -> float:
    """Return the weight of a skill's uses from its entry in Claude Code's record. `now` is in milliseconds."""
    count, last = (row.get("usageCount"), row.get("lastUsedAt")) if isinstance(row, dict) else (0, 0)
    if not isinstance(count, int | float) or not isinstance(last, int | float):
        return 0.0
    days = max(0.0, float(now - last) / _DAY_MS)
    decay: float = 0.5 ** (days / _HALF_LIFE)
    return float(count) * max(decay, _MIN_WEIGHT)


def read_user_json(file: Path) -> Mapping[str, Any]:
    """Return the object in a JSON file of the user, which may be a link."""
    return read_json(Path(os.path.realpath(file)))


def read_json(file: Path) -> Mapping[str, Any]:
    """Return the object in a JSON file, or {} if it has none, is too large, is a link or cannot be read."""
    try:
        value = json.loads(nofollow.read(str(file)))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
