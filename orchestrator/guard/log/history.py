"""Compute statistics on an event log: sessions, counts, and gaps without events."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from orchestrator.fs.append_log import list_parts
from orchestrator.guard.log.event_log import EventLog, encode_needle
from orchestrator.guard.log.events import get_session_id, open_project_log


def list_sessions(log: EventLog | None = None) -> list[dict[str, Any]]:
    """Return an object for each session: its id, the times of its first and last event, and its event counts.

    The sessions are ordered by their first event.
    """
    sessions: dict[str, dict[str, Any]] = {}
    for record in (log or open_project_log()).read():
        id = get_session_id(record)
        if id is None:
            continue
        key, moment = id[:8], record["timestamp"]
        row = sessions.setdefault(key, {"session_id": id, "first": moment, "last": moment, "events": Counter()})
        row["session_id"] = max(row["session_id"], id, key=len)
        row["first"], row["last"] = min(row["first"], moment), max(row["last"], moment)
        row["events"][record["event"]] += 1
    return [{**row, "events": dict(row["events"])} for row in sessions.values()]


def compute_statistics(log: EventLog | None = None) -> dict[str, Any]:
    """Return the number of events by name, the first and last time, and the log's invalid lines, parts and size."""
    log = log or open_project_log()
    counts: Counter[str] = Counter()
    first: float | None = None
    last: float | None = None
    for record in log.read():
        counts[record["event"]] += 1
        moment = record["timestamp"]
        first = moment if first is None else min(first, moment)
        last = moment if last is None else max(last, moment)
    files = [*list_parts(str(log.path)), *([str(log.path)] if log.path.exists() else [])]
    return {
        "path": str(log.path),
        "events": sum(counts.values()),
        "by_event": dict(counts.most_common()),
        "first": first,
        "last": last,
        "skipped_lines": log.skipped,
        "parts": len(files),
        "bytes": sum(log.path.with_name(file.rpartition("/")[2]).stat().st_size for file in files),
    }


def find_last_runs(events: Iterable[str], log: EventLog | None = None) -> dict[str, float]:
    """Return the time (epoch seconds) of the last run of each hook event. Skips hooks that never ran."""
    log = log or open_project_log()
    last_runs: dict[str, float] = {}
    for event in events:
        for record in log.read(newest_first=True, needles=[encode_needle(event)]):
            if (record["hook_input"] or {}).get("hook_event_name") == event:
                last_runs[event] = record["timestamp"]
                break
    return last_runs


def find_gaps(longer_than: float, log: EventLog | None = None) -> list[dict[str, Any]]:
    """Return the gaps of more than `longer_than` seconds, each with the events before and after it."""
    gaps, before = [], None
    for record in (log or open_project_log()).read():
        if before and (seconds := record["timestamp"] - before["timestamp"]) > longer_than:
            gaps.append(
                {
                    "since": before["timestamp"],
                    "until": record["timestamp"],
                    "seconds": seconds,
                    "after": before["event"],
                    "before": record["event"],
                }
            )
        before = record
    return gaps
