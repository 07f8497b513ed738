"""Load and save the state of a session and of a project. Loading never raises."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from orchestrator.errors import TuneSkillError
from orchestrator.fs import durable, nofollow, project_root
from orchestrator.fs.append_log import lock
from orchestrator.guard.sessions.config import safe_id
from orchestrator.guard.sessions.paths import data_dir


def write_json_safely(path: Path, value: Any, sync: bool = True) -> bool:
    """Write JSON durably. Return False on failure.

    If the folder does not exist, it is created as a private folder. sync: see `durable`.
    """
    try:
        _ensure_folder(path.parent)
        durable.write_json(path, value, mode=0o600, sync=sync)
    except (OSError, TuneSkillError, ValueError, TypeError, RecursionError):
        return False
    return True


def read_json_safely(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file. Returns {} if it cannot be read or is not an object."""
    try:
        value = json.loads(nofollow.read(str(path), nofollow.MAX_SMALL_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def get_session_state_path(session_id: str, root: Path | None = None) -> Path:
    """Return the path of a session's state."""
    return data_dir(root) / "sessions" / safe_id(session_id) / "session_state.json"


def get_agent_state_path(root: Path | None = None) -> Path:
    """Return the path of a project's state."""
    return data_dir(root) / "agent_state.json"


@contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Lock a state file during the block, so that concurrent changes by other processes are not lost.

    If locking fails, continue without a lock: on a read-only disk, the write will also fail and report the problem, and
    on a disk without locks, only changes at the same moment can be lost.
    """
    try:
        _ensure_folder(path.parent)
        fd = nofollow.open_file(str(path.with_suffix(".lock")), os.O_RDWR | os.O_CREAT)
    except (OSError, TuneSkillError):
        yield
        return
    try:
        with suppress(OSError):
            lock(fd)
        yield
    finally:
        os.close(fd)


_DEFAULTS: dict[str, Any] = {
    "session_id": "",
    "agent_id": "",
    "auto_mode": False,
    "auto_mode_source": "default",
    "auto_mode_confidence": 0.0,
    "pending_todos": [],
    "compaction_count": 0,
    "compactions_begun": 0,
    "compaction_prompt_uuid": "",
    "started_at": 0.0,
    "current_prompt_uuid": "",
    "current_drive_started_at": 0.0,
    "drive_count": 0,
    "total_drive_duration": 0.0,
}


class SessionState(SimpleNamespace):
    """The state of one session. Times are epoch seconds, durations are seconds. Unknown fields raise an error.

    Not a dataclass, because importing `dataclasses` takes 8 ms, and the user waits for hooks.
    """

    session_id: str
    agent_id: str
    auto_mode: bool
    auto_mode_source: str
    auto_mode_confidence: float
    pending_todos: list[str]
    compaction_count: int
    compactions_begun: int
    compaction_prompt_uuid: str
    started_at: float
    current_prompt_uuid: str
    current_drive_started_at: float
    drive_count: int
    total_drive_duration: float

    def __init__(self, session_id: str, agent_id: str = "", **values: Any) -> None:
        for name in values:
            _ensure_field(name, TypeError)
        super().__init__(**{**_DEFAULTS, "session_id": session_id, "agent_id": agent_id, "pending_todos": [], **values})

    def __setattr__(self, name: str, value: Any) -> None:
        _ensure_field(name, AttributeError)
        super().__setattr__(name, value)

    @classmethod
    def load(cls, session_id: str, agent_id: str = "", root: Path | None = None) -> "SessionState":
        """Return a session's state. Missing and invalid values get their defaults. Never raises."""
        path = get_session_state_path(session_id, root)
        state = cls(session_id, agent_id)
        for name, value in _keep_valid(read_json_safely(path)).items():
            setattr(state, name, value)
        state.session_id = session_id
        return state

    def save(self, root: Path | None = None) -> bool:
        """Write the state. It survives a kill, but not a power failure. Returns False on failure, and never raises."""
        return write_json_safely(get_session_state_path(self.session_id, root), vars(self), sync=False)

    @classmethod
    @contextmanager
    def edit(cls, session_id: str, root: Path, save: bool = True) -> Iterator["SessionState"]:
        """Lock and load a session's state for the block, and save it at the end unless `save` is False."""
        if not save:
            yield cls.load(session_id, root=root)
            return
        with hold_lock(get_session_state_path(session_id, root)):
            state = cls.load(session_id, root=root)
            yield state
            state.save(root)


def _ensure_field(name: str, error: type[Exception]) -> None:
    if name not in _DEFAULTS:
        raise error(f"unknown field {name} of a session's state")


def _keep_valid(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values whose types are valid for their fields. The other values are dropped."""
    kinds = {name: type(value) for name, value in _DEFAULTS.items()}
    valid = {name: value for name, value in values.items() if type(value) is kinds.get(name)}
    todos = valid.get("pending_todos", [])
    return {**valid, "pending_todos": [todo for todo in todos if isinstance(todo, str)]}


def _ensure_folder(folder: Path) -> None:
    """Create `folder`, and remove the temporary files of killed writers in it.

    If it is in tune-skill's folder of a project, make that folder private and ignored by git.
    """
    own_folder = next((parent for parent in (folder, *folder.parents) if parent.name == project_root.FOLDER), None)
    if own_folder:
        durable.ensure_private_dir(own_folder)
    durable.ensure_dir(folder)
    durable.remove_old_temp_files(folder)
