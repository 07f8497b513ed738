"""What the tasks of a trial run on this machine: shown and allowed once, noted in the user's own state folder."""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from orchestrator.fs import durable, nofollow
from orchestrator.fs.home import xdg_folder
from orchestrator.tuning.trial.tasks import Task, digest


def wanted(tasks: Sequence[Task]) -> tuple[str, ...]:
    """Return what the tasks run beyond files of their projects, each line with the task that asks for it."""
    return tuple(f"{task.name}: {command}" for task in tasks for command in task.commands)


def is_given(tasks: Sequence[Task], skill: Path) -> bool:
    """Return whether this user allowed exactly these tasks, with their files, for this skill before."""
    try:
        return bool(json.loads(nofollow.read(str(_note(tasks, skill)), nofollow.SMALL)) == list(wanted(tasks)))
    except (OSError, ValueError, RecursionError):
        return False


def give(tasks: Sequence[Task], skill: Path) -> None:
    """Note that this user allows what these tasks run. Raises WriteFailed."""
    note = _note(tasks, skill)
    durable.ensure_private_dir(note.parent)
    durable.write_json(note, list(wanted(tasks)), mode=0o600)


def _note(tasks: Sequence[Task], skill: Path) -> Path:
    name = sha256(f"{skill.resolve()}\n{digest(tuple(tasks))}".encode("utf-8", "surrogateescape")).hexdigest()
    return xdg_folder("XDG_STATE_HOME", ".local/state") / "trials" / f"{name}.json"
