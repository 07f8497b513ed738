"""Provide functions and classes under the names that MACF documents."""
# ruff: noqa: F401 - names for other programs

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from orchestrator.errors import BadInput
from orchestrator.guard.activity.temporal import (
    format_session_duration,
    get_temporal_context,
    get_time_since_last_session,
)
from orchestrator.guard.log import events
from orchestrator.guard.log.event_log import EventLog, Record
from orchestrator.guard.log.events import append_event, read_events, reconstruct_state_at
from orchestrator.guard.sessions.artifacts import AgentArtifacts as ConsciousnessArtifacts
from orchestrator.guard.sessions.artifacts import find_latest_artifacts as get_latest_consciousness_artifacts
from orchestrator.guard.sessions.breadcrumbs import get_breadcrumb, get_git_hash, parse_breadcrumb
from orchestrator.guard.sessions.config import ProjectConfig as ConsciousnessConfig
from orchestrator.guard.sessions.cycles import (
    detect_auto_mode,
    increment_agent_cycle,
    load_agent_state,
    save_agent_state,
)
from orchestrator.guard.sessions.paths import find_project_root, get_dev_scripts_dir, get_hooks_dir, get_session_dir
from orchestrator.guard.sessions.state import SessionState as SessionOperationalState
from orchestrator.guard.sessions.state import (
    get_agent_state_path,
    get_session_state_path,
    read_json_safely,
    write_json_safely,
)


def query_events(
    filters: Mapping[str, Any] | None = None, log: EventLog | None = None, limit: int | None = None
) -> list[Record]:
    """Return the events that match all filters, oldest first. Returns [] for an unknown filter."""
    with suppress(BadInput):
        return events.query_events(filters, log, limit)
    return []


def query_set_operations(
    queries: Sequence[Mapping[str, Any]], operation: str, log: EventLog | None = None
) -> list[Record]:
    """Combine the events of several queries, oldest first. Returns [] for an unknown operation or filter."""
    with suppress(BadInput):
        return events.query_set_operations(queries, operation, log)
    return []
