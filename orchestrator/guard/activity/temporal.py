"""Format times and durations for display."""

import time
from datetime import datetime
from pathlib import Path
from typing import Any

from orchestrator.guard.log.events import get_session_id, read_events
from orchestrator.guard.sessions.cycles import load_agent_state

_PARTS_OF_DAY = ((5, "night"), (12, "morning"), (17, "afternoon"), (21, "evening"), (24, "night"))


def get_temporal_context(now: float | None = None) -> dict[str, Any]:
    """Return the local time: timestamp_formatted "03:22:45 PM", day_of_week, time_of_day, date, timezone, epoch."""
    epoch = time.time() if now is None else now
    moment = datetime.fromtimestamp(epoch).astimezone()
    return {
        "timestamp_formatted": moment.strftime("%I:%M:%S %p"),
        "day_of_week": moment.strftime("%A"),
        "time_of_day": next(name for until, name in _PARTS_OF_DAY if moment.hour < until),
        "date": moment.strftime("%Y-%m-%d"),
        "timezone": moment.tzname(),
        "epoch": epoch,
    }


def get_time_since_last_session(
    session_id: str = "", now: float | None = None, root: Path | None = None
) -> float | None:
    """Return the seconds since the last event of another session. Returns None if there was no other session.

    The result is 0 if the clock was set back.
    """
    current = session_id or load_agent_state(root)["last_session_id"] or ""
    for record in read_events():
        session = get_session_id(record)
        if session and session[:8] != current[:8]:
            return max(0.0, (time.time() if now is None else now) - float(record["timestamp"]))
    return None


def format_session_duration(seconds: float | None) -> str:
    """Format a duration, as in "45s", "3m 20s", "2h 15m", "3d 4h". Returns "unknown" for None."""
    if seconds is None:
        return "unknown"
    whole = max(0, int(seconds))
    for size, name, small, smaller in ((86_400, "d", 3600, "h"), (3600, "h", 60, "m"), (60, "m", 1, "s")):
        if whole >= size:
            return f"{whole // size}{name} {whole % size // small}{smaller}"
    return f"{whole}s"
