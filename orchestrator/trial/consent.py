"""What the tasks of a trial run on this machine: shown and allowed once, noted in the user's own state folder."""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from orchestrator import durable, nofollow
from orchestrator.home import xdg_folder
from orchestrator.trial.tasks import Task


def wanted(tasks: Sequence[Task]) -> tuple[str, ...]:
    """Return what the tasks run beyond files of their projects, each line with the task that asks for it."""
    return tuple(f"{task.name}: {command}" for task in tasks for command in task.commands)


def is_given(commands: Sequence[str]) -> bool:
    """Return whether this user allowed exactly these before."""
    try:
        return bool(json.loads(nofollow.read(str(_note(commands)), nofollow.SMALL)) == list(commands))
    except (OSError, ValueError, RecursionError):
        return False


def give(commands: Sequence[str]) -> None:
    """Note that this user allows these. Raises WriteFailed."""
    note = _note(commands)
    durable.ensure_private_dir(note.parent)
    durable.write_json(note, list(commands), mode=0o600)


def _note(commands: Sequence[str]) -> Path:
    name = sha256("\n".join(commands).encode("utf-8", "backslashreplace")).hexdigest()
    return xdg_folder("XDG_STATE_HOME", ".local/state") / "trials" / f"{name}.json"
