"""Append events to this project's log, query them, and reconstruct the state at a given time."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from orchestrator.errors import BadInput
from orchestrator.guard.log.event_log import EventLog, Record, encode_needle
from orchestrator.guard.sessions.breadcrumbs import get_breadcrumb, parse_breadcrumb, parse_breadcrumb_parts
from orchestrator.guard.sessions.paths import events_log_path

_BREADCRUMB_LETTERS = {"cycle": "c", "prompt": "p", "git": "g"}
FILTERS = frozenset({"event_type", "since", "until", "breadcrumb", "session_id", "run_id", *_BREADCRUMB_LETTERS})
_OPERATIONS = ("union", "intersection", "subtraction")


def open_project_log(
    clock: Callable[[], float] = time.time, session_id: str = "", prompt_id: str | None = None
) -> EventLog:
    """Return the log of this project. New records get the breadcrumb of the session, by default the most recent one."""
    return EventLog(events_log_path(), clock, lambda: get_breadcrumb(session_id, prompt_id))


def append_event(
    event: str,
    data: Mapping[str, Any] | None = None,
    hook_input: Mapping[str, Any] | None = None,
    *,
    session_id: str = "",
) -> bool:
    """Append an event to this project's log. On failure, warn on stderr and return False."""
    source = hook_input or {}
    session, prompt = session_id or str(source.get("session_id") or ""), source.get("prompt_id")
    log = open_project_log(time.time, session, prompt if isinstance(prompt, str) else None)
    return log.append(event, data or {}, hook_input)


def read_events(limit: int | None = None, log: EventLog | None = None, reverse: bool = True) -> Iterator[Record]:
    """Yield at most `limit` events, newest first (`reverse`) or oldest first. The log is read only as far as needed."""
    return islice((log or open_project_log()).read(newest_first=reverse), limit)


def query_events(
    filters: Mapping[str, Any] | None = None, log: EventLog | None = None, limit: int | None = None
) -> list[Record]:
    """Return the events that match all `filters`, oldest first. limit: return only this many, the newest.

    event_type: a name. since, until: epoch seconds. breadcrumb: a breadcrumb or some of its parts, as text or as a
    mapping
    by name or letter. cycle, prompt, git: a single part. session_id: an id, or its first eight characters. run_id:
    a
    tuning run. Raises BadInput for an unknown filter, because an empty result would suggest that there are no
    events.
    """
    query = _parse_filters(filters or {})
    records = (log or open_project_log()).read(newest_first=True, needles=_list_needles(query))
    newest_first = islice((record for record in records if _matches(record, query)), limit)
    return list(newest_first)[::-1]


def query_set_operations(
    queries: Sequence[Mapping[str, Any]], operation: str, log: EventLog | None = None
) -> list[Record]:
    """Combine the events of several queries, oldest first.

    union: events of any query. intersection: events of all queries. subtraction: events of only the first query.
    Raises BadInput for an unknown operation or filter, or if there are no queries.
    """
    if operation not in _OPERATIONS:
        raise BadInput(f"unknown set operation {operation}; use one of {', '.join(_OPERATIONS)}")
    if not queries:
        raise BadInput("a set operation needs at least one query")
    first, *others = [_parse_filters(query) for query in queries]
    needles = () if operation == "union" else _list_needles(first)
    records = (log or open_project_log()).read(needles=needles)
    return [record for record in records if _is_selected(record, first, others, operation)]


def reconstruct_state_at(moment: float, log: EventLog | None = None) -> dict[str, Any]:
    """Return the state at `moment` (epoch seconds): session, cycle, open drive, event counts, run and phase."""
    state: dict[str, Any] = {
        "timestamp": moment,
        "session_id": None,
        "cycle": None,
        "prompt_uuid": None,
        "drive_open": False,
        "counts": {},
        "run_id": None,
        "phase": None,
        "last_event": None,
    }
    for record in (log or open_project_log()).read():
        if record["timestamp"] <= moment:
            _apply_event(state, record)
    return state


def get_session_id(record: Record) -> str | None:
    """Return the session id of an event, or the prefix of it in the breadcrumb. Returns None outside a session."""
    for source in (record["hook_input"], record["data"]):
        if source and isinstance(source.get("session_id"), str):
            return str(source["session_id"])
    crumb = parse_breadcrumb(record["breadcrumb"] or "")
    return crumb["session_id"] if crumb and crumb["session_id"] != "unknown" else None


def _apply_event(state: dict[str, Any], record: Record) -> None:
    event, data = record["event"], record["data"]
    crumb = parse_breadcrumb(record["breadcrumb"] or "")
    state["last_event"] = event
    state["counts"][event] = state["counts"].get(event, 0) + 1
    if crumb:
        state["cycle"], state["prompt_uuid"] = crumb["cycle"], crumb["prompt_uuid"]
    session = get_session_id(record)
    if session and not str(state["session_id"]).startswith(session):
        state["session_id"] = session
    if event in ("dev_drv_started", "dev_drv_ended"):
        state["drive_open"] = event == "dev_drv_started"
    if "run_id" in data:
        state["run_id"], state["phase"] = data["run_id"], data.get("phase", state["phase"])


def _is_selected(record: Record, first: Mapping[str, Any], others: Iterable[Mapping[str, Any]], operation: str) -> bool:
    matches_others = (_matches(record, query) for query in others)
    if operation == "union":
        return _matches(record, first) or any(matches_others)
    if operation == "intersection":
        return _matches(record, first) and all(matches_others)
    return _matches(record, first) and not any(matches_others)


def _parse_filters(filters: Mapping[str, Any]) -> dict[str, Any]:
    for name in filters.keys() - FILTERS:
        raise BadInput(f"unknown filter {name}; use {', '.join(sorted(FILTERS))}")
    query = {name: value for name, value in filters.items() if value is not None}
    breadcrumb = query.pop("breadcrumb", {})
    crumb = {} if breadcrumb == {} else parse_breadcrumb_parts(breadcrumb)
    if parts := {letter: query.pop(name) for name, letter in _BREADCRUMB_LETTERS.items() if name in query}:
        crumb |= parse_breadcrumb_parts(parts)
    return {**query, "breadcrumb": crumb} if crumb else query


def _list_needles(query: Mapping[str, Any]) -> list[bytes]:
    """Return byte strings that every matching line contains. A session id is truncated as in a breadcrumb."""
    exact = [encode_needle(query[name]) for name in ("event_type", "run_id") if name in query]
    return exact + ([encode_needle(query["session_id"])[1:9]] if "session_id" in query else [])


def _matches(record: Record, query: Mapping[str, Any]) -> bool:
    return all(_MATCHERS[name](record, value) for name, value in query.items())


def _belongs_to_session(record: Record, id: str) -> bool:
    session_id = get_session_id(record)
    if session_id is None:
        return False
    is_prefix = min(len(session_id), len(id)) == 8 and session_id[:8] == id[:8]
    return session_id == id or is_prefix


def _has_breadcrumb_parts(record: Record, parts: Mapping[str, Any]) -> bool:
    crumb = parse_breadcrumb(record["breadcrumb"] or "")
    return crumb is not None and all(crumb.get(name) == value for name, value in parts.items())


_MATCHERS: dict[str, Callable[[Record, Any], bool]] = {
    "event_type": lambda record, value: record["event"] == value,
    "since": lambda record, value: record["timestamp"] >= value,
    "until": lambda record, value: record["timestamp"] <= value,
    "breadcrumb": _has_breadcrumb_parts,
    "session_id": _belongs_to_session,
    "run_id": lambda record, value: record["data"].get("run_id") == value,
}
