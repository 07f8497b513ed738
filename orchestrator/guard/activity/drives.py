"""Track drives (the work on one prompt, until the stop) and delegations (runs of sub-agents in it)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from orchestrator.guard.log.event_log import EventLog
from orchestrator.guard.log.events import query_events
from orchestrator.guard.sessions.state import SessionState


class Drive(NamedTuple):
    """A completed drive. duration: in seconds. delegations: the number of sub-agent runs in it."""

    prompt_uuid: str
    duration: float
    delegations: int


def start_drive(state: SessionState, prompt_id: str, now: float) -> None:
    """Start a drive. A previous drive that is still open (after an interrupt or a crash) is not counted."""
    state.current_prompt_uuid = prompt_id
    state.current_drive_started_at = now


def complete_drive(state: SessionState, now: float, log: EventLog | None = None) -> Drive | None:
    """Complete and count the open drive, and return it. Returns None if no drive is open.

    The duration is 0 if the clock was set back.
    """
    start = state.current_drive_started_at
    if not start:
        return None
    delegations = sum(count_delegations(state.session_id, start, log).values())
    drive = Drive(state.current_prompt_uuid, max(0.0, now - start), delegations)
    state.drive_count += 1
    state.total_drive_duration += drive.duration
    state.current_drive_started_at = 0.0
    return drive


def count_delegations(session_id: str, since: float | None = None, log: EventLog | None = None) -> dict[str, int]:
    """Count the completed sub-agents of a session by type. Those that summarize for a compaction do not count."""
    counts: dict[str, int] = {}
    query = {"event_type": "delegation_completed", "session_id": session_id, "since": since}
    for record in query_events(query, log):
        kind = get_agent_type(record["hook_input"] or {})
        if kind:
            counts[kind] = counts.get(kind, 0) + 1
    return counts


def get_agent_type(hook_input: Mapping[str, Any]) -> str:
    """Return the type of the sub-agent in a hook's input. Returns "" if it has none (for example if it summarizes)."""
    kind = hook_input.get("agent_type")
    return kind if isinstance(kind, str) else ""
