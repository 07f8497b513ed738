"""Compute statistics on the drives of a session."""

from collections.abc import Mapping

import msgspec

from orchestrator.guard.activity.drives import count_delegations
from orchestrator.guard.log.event_log import EventLog
from orchestrator.guard.sessions.state import SessionState


class DriveStats(msgspec.Struct, frozen=True):
    """Statistics on the drives of a session.

    total_duration: in seconds. open_since: the start of the open drive in epoch seconds. delegations: the number of
    sub-agents by their type.
    """

    count: int
    total_duration: float
    open_since: float | None
    delegations: Mapping[str, int]

    @property
    def average(self) -> float:
        """The average number of seconds per drive."""
        return self.total_duration / self.count if self.count else 0.0


def compute_drive_stats(state: SessionState, log: EventLog | None = None) -> DriveStats:
    """Compute statistics on the drives of a session."""
    since = state.current_drive_started_at or None
    return DriveStats(
        state.drive_count, state.total_drive_duration, since, count_delegations(state.session_id, None, log)
    )
