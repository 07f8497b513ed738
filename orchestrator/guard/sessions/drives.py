"""Drives: from a prompt to the stop of the work on it. Delegations: what sub-agents did meanwhile."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from orchestrator.guard.log.event_log import EventLog
from orchestrator.guard.log.events import query_events
from orchestrator.guard.sessions.state import SessionOperationalState


class Drive(NamedTuple):
    """A drive that ended: seconds, and how many sub-agents worked in it."""

    prompt_uuid: str
    duration: float
    delegations: int


def start_drive(state: SessionOperationalState, prompt_id: str, now: float) -> None:
    """Begin a drive; one that never stopped (an interrupt, a crash) is given up uncounted."""
    state.current_prompt_uuid = prompt_id
    state.current_drive_started_at = now


def complete_drive(state: SessionOperationalState, now: float, log: EventLog | None = None) -> Drive | None:
    """End the drive and count it; None when none is open. A clock that went back makes it last 0 seconds."""
    began = state.current_drive_started_at
    if not began:
        return None
    delegated = sum(count_delegations(state.session_id, began, log).values())
    drive = Drive(state.current_prompt_uuid, max(0.0, now - began), delegated)
    state.drive_count += 1
    state.total_drive_duration += drive.duration
    state.current_drive_started_at = 0.0
    return drive


def count_delegations(session_id: str, since: float | None = None, log: EventLog | None = None) -> dict[str, int]:
    """Count the sub-agents that ended in a session, by type; the one that writes a compaction's summary is none."""
    counts: dict[str, int] = {}
    query = {"event_type": "delegation_completed", "session_id": session_id, "since": since}
    for record in query_events(query, log):
        kind = get_agent_type(record["hook_input"] or {})
        if kind:
            counts[kind] = counts.get(kind, 0) + 1
    return counts


def get_agent_type(hook_input: Mapping[str, Any]) -> str:
    """Give the type of the sub-agent that a hook tells of; "" when it is not one of the user's."""
    kind = hook_input.get("agent_type")
    return kind if isinstance(kind, str) else ""
