"""Count the cycles of a project (each compaction starts a new one), and detect AUTO_MODE."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from orchestrator.guard.sessions.config import ProjectConfig
from orchestrator.guard.sessions.state import (
    SessionState,
    get_agent_state_path,
    get_session_state_path,
    hold_lock,
    read_json_safely,
    write_json_safely,
)

_DEFAULTS: dict[str, Any] = {
    "last_session_id": None,
    "current_cycle_number": 1,
    "cycles_completed": 0,
    "cycle_started_at": None,
}
_BOOLEANS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def load_agent_state(root: Path | None = None) -> dict[str, Any]:
    """Return the project's state. Missing and invalid values get their defaults. Never raises."""
    state = {**_DEFAULTS, **read_json_safely(get_agent_state_path(root))}
    for name in ("current_cycle_number", "cycles_completed"):
        if type(state[name]) is not int or not 0 <= state[name] < 1_000_000_000:
            state[name] = _DEFAULTS[name]
    if not isinstance(state["last_session_id"], str):
        state["last_session_id"] = None
    return state


def save_agent_state(state: dict[str, Any], root: Path | None = None) -> bool:
    """Save the project's state. Returns False on failure, and never raises."""
    return write_json_safely(get_agent_state_path(root), state)


@contextmanager
def edit_agent_state(root: Path | None) -> Iterator[dict[str, Any]]:
    """Lock and load the project's state. At the end of the block, save it."""
    with hold_lock(get_agent_state_path(root)):
        state = load_agent_state(root)
        yield state
        save_agent_state(state, root)


def increment_agent_cycle(
    session_id: str, root: Path | None = None, testing: bool = True, now: float | None = None
) -> int:
    """Start a new cycle and return its number. testing: only return the current number, which is the default."""
    if testing:
        return int(load_agent_state(root)["current_cycle_number"])
    with edit_agent_state(root) as state:
        state["current_cycle_number"] += 1
        state["cycles_completed"] += 1
        state["last_session_id"] = session_id
        state["cycle_started_at"] = now
    return int(state["current_cycle_number"])


def detect_auto_mode(
    session_id: str = "", cli_flag: bool | None = None, root: Path | None = None
) -> tuple[bool, str, float]:
    """Return whether the agent works without a user, the source of this value, and its confidence. Never raises.

    Sources and their confidence: "cli_flag" 1.0, "env" (MACF_AUTO_MODE) 0.9, "config" (configuration) 0.7, "session"
    (this or the previous session) 0.5, "default" 0.0.
    """
    if cli_flag is not None:
        return cli_flag, "cli_flag", 1.0
    if (is_auto := _BOOLEANS.get(os.environ.get("MACF_AUTO_MODE", "").strip().lower())) is not None:
        return is_auto, "env", 0.9
    if isinstance(value := ProjectConfig(root).values.get("auto_mode"), bool):
        return value, "config", 0.7
    for session in (session_id, load_agent_state(root)["last_session_id"]):
        if session and get_session_state_path(session, root).exists():
            return SessionState.load(session, root=root).auto_mode, "session", 0.5
    return False, "default", 0.0
