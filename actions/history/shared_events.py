"""Assign each failure, refusal or wait in a session that used several texts to the table of only one text."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from actions.grouping import group_by_key
from actions.history.session_table import Event, SessionTable

_KINDS = frozenset({"failed", "refused", "waited", "truncated"})
_STEP_KINDS = frozenset({"done", "failed", "repaired", "refused", "forbidden", "late"})
"""The kinds of events that show that a run has reached a step of the text."""
_Key = tuple[str, str, int, str, str]
"""The session, kind, record, sub-agent and text of an event. Events with equal keys are the same event."""


class _Position(NamedTuple):
    """The position of an event: the indexes of its table, its timeline in the table, and the event in the timeline."""

    table: int
    timeline: int
    event: int


def merge_shared(tables: Sequence[SessionTable]) -> list[SessionTable]:
    """Remove each shared event from all tables except one.

    The event stays in the table of the text whose step was carried out last before it or, if several qualify, of the
    text that was loaded first. The lines of the other texts are added to the event.
    """
    changed: dict[_Position, Event | None] = {}
    for positions in group_by_key(_list_positions(tables)).values():
        owner = min(positions, key=lambda position: _get_sort_key(tables, position))
        others = [position for position in positions if position.table != owner.table]
        if others:
            event = _find_event(tables, owner)
            lines = ", ".join(dict.fromkeys(_format_line(tables, position) for position in others))
            changed |= dict.fromkeys(others) | {owner: replace(event, text=f"{event.text} (also {lines})")}
    return [_apply_changes(number, table, changed) for number, table in enumerate(tables)]


def _list_positions(tables: Sequence[SessionTable]) -> Iterator[tuple[_Key, _Position]]:
    for table_number, table in enumerate(tables):
        for timeline_number, timeline in enumerate(table.timelines):
            for number, event in enumerate(timeline.events):
                if event.kind in _KINDS:
                    text = "" if event.kind == "waited" else event.text  # models describe the same wait differently
                    key = (timeline.session, event.kind, event.record, event.agent, text)
                    yield key, _Position(table_number, timeline_number, number)


def _find_event(tables: Sequence[SessionTable], position: _Position) -> Event:
    return tables[position.table].timelines[position.timeline].events[position.event]


def _get_sort_key(tables: Sequence[SessionTable], position: _Position) -> tuple[int, int]:
    """Return the sort key of a text: latest step before the event first, then first loaded."""
    events = tables[position.table].timelines[position.timeline].events
    before = events[: bisect_left(events, events[position.event].record, key=lambda event: event.record)]
    last = max((event.record for event in before if event.line and event.kind in _STEP_KINDS), default=0)
    return -last, next((event.record for event in events if event.kind == "loaded"), 0)


def _format_line(tables: Sequence[SessionTable], position: _Position) -> str:
    line = _find_event(tables, position).line
    return tables[position.table].unit + (f" line {line}" if line else "")


def _apply_changes(number: int, table: SessionTable, changed: dict[_Position, Event | None]) -> SessionTable:
    """Return a table with the changed events, without those that are changed to None."""
    timelines = []
    for n, timeline in enumerate(table.timelines):
        events = (changed.get(_Position(number, n, at), event) for at, event in enumerate(timeline.events))
        timelines.append(replace(timeline, events=tuple(event for event in events if event)))
    return replace(table, timelines=tuple(timelines))
