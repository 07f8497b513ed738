"""The two scopes of state: of a session (lost with it), and of a project (kept). Loading never raises."""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from orchestrator.errors import TuneSkillError
from orchestrator.fs import durable, nofollow, project_root
from orchestrator.guard.sessions.config import safe_id
from orchestrator.guard.sessions.paths import data_dir


def write_json_safely(path: Path, value: Any, sync: bool = True) -> bool:
    """Write JSON durably, in a private folder that is made when needed. False when it could not be written.

    sync: as in `durable`; what is lost with its session needs no more than to survive a kill.
    """
    try:
        _ensure_folder(path.parent)
        durable.write_json(path, value, mode=0o600, sync=sync)
    except (OSError, TuneSkillError, ValueError, TypeError, RecursionError):
        return False
    return True


def read_json_safely(path: Path) -> dict[str, Any]:
    """Give the object that a JSON file holds; {} when it cannot be read or is none."""
    try:
        value = json.loads(nofollow.read(str(path), nofollow.SMALL))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def get_session_state_path(session_id: str, root: Path | None = None) -> Path:
    """Give the state file of a session."""
    return data_dir(root) / "sessions" / safe_id(session_id) / "session_state.json"


def get_agent_state_path(root: Path | None = None) -> Path:
    """Give the state file of a project."""
    return data_dir(root) / "agent_state.json"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a state file, so that who reads, changes and writes it loses nobody's change.

    Where no lock can be had (a read-only disk) the work goes on without it: the write will say so.
    """
    try:
        _ensure_folder(path.parent)
        fd = nofollow.open_file(str(path.with_suffix(".lock")), os.O_RDWR | os.O_CREAT)
    except (OSError, TuneSkillError):
        yield
        return
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


_FRESH: dict[str, Any] = {
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


class SessionOperationalState(SimpleNamespace):
    """What is known of one session. Times are epoch seconds, durations seconds.

    A dataclass or a struct would need what the recording hooks start without: it refuses other fields by itself.
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

    def __init__(self, session_id: str, agent_id: str = "", **known: Any) -> None:
        for name in known:
            _ensure_field(name, TypeError)
        given = {"session_id": session_id, "agent_id": agent_id, "pending_todos": [], **known}
        super().__init__(**{**_FRESH, **given})

    def __setattr__(self, name: str, value: Any) -> None:
        _ensure_field(name, AttributeError)
        super().__setattr__(name, value)

    @classmethod
    def load(cls, session_id: str, agent_id: str = "", root: Path | None = None) -> "SessionOperationalState":
        """Give a session's state. Never raises: what is missing or of another type has its default."""
        path = get_session_state_path(session_id, root)
        state = cls(session_id, agent_id)
        for name, value in _usable(read_json_safely(path)).items():
            setattr(state, name, value)
        state.session_id = session_id
        return state

    def save(self, root: Path | None = None) -> bool:
        """Write the state. Never raises: False when it was not written."""
        return write_json_safely(get_session_state_path(self.session_id, root), vars(self), sync=False)

    @classmethod
    @contextmanager
    def changing(cls, session_id: str, root: Path, save: bool = True) -> Iterator["SessionOperationalState"]:
        """Load a session's state for a change, alone, and save it at the end unless `save` is False."""
        if not save:
            yield cls.load(session_id, root=root)
            return
        with locked(get_session_state_path(session_id, root)):
            state = cls.load(session_id, root=root)
            yield state
            state.save(root)


def _ensure_field(name: str, refusal: type[Exception]) -> None:
    if name not in _FRESH:
        raise refusal(f"a session's state has no {name}")


def _usable(values: Mapping[str, Any]) -> dict[str, Any]:
    """Keep of `values` what has the type of its field."""
    kinds = {name: type(value) for name, value in _FRESH.items()}
    fitting = {name: value for name, value in values.items() if type(value) is kinds.get(name)}
    todos = fitting.get("pending_todos", [])
    return {**fitting, "pending_todos": [todo for todo in todos if isinstance(todo, str)]}


def _ensure_folder(folder: Path) -> None:
    """Make `folder`; the folder of ours that it lies in is private and git ignores it."""
    ours = next((f for f in (folder, *folder.parents) if f.name == project_root.FOLDER), None)
    if ours:
        durable.ensure_private_dir(ours)
    durable.ensure_dir(folder)
