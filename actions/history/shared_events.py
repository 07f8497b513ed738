"""Report each failure, refusal or wait once, though the session may run several texts at the time."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from actions.grouping import group_by_key
from actions.history.session_table import Event, SessionTable, Timeline

_KINDS = frozenset({"failed", "refused", "waited", "truncated"})
_STEP_KINDS = frozenset({"done", "failed", "repaired", "refused", "forbidden", "late"})
"""The kinds of events that show that a run is in a step of the text."""
_Key = tuple[str, str, int, str, str]


class _Position(NamedTuple):
    """The position of an event: the numbers of its table, of the timeline in it, and of the event in the timeline."""

    table: int
    timeline: int
    event: int


def merge_shared(tables: Sequence[SessionTable]) -> list[SessionTable]:
    """Return the tables with each shared event in one of them only.

    An event stays in the table of the text whose step was carried out last before it; in a tie, in that of the text
    that was loaded first. Its sentence then names the lines of the other texts.
    """
    changed: dict[_Position, Event | None] = {}
    for positions in group_by_key(_list_positions(tables)).values():
        owner = min(positions, key=lambda position: _rank(tables, position))
        others = [position for position in positions if position.table != owner.table]
        if others:
            event = _find_event(tables, owner)
            also = ", ".join(dict.fromkeys(_format_line(tables, position) for position in others))
            changed |= dict.fromkeys(others) | {owner: replace(event, text=f"{event.text} (also {also})")}
    return [_change_events(number, table, changed) for number, table in enumerate(tables)]


def _list_positions(tables: Sequence[SessionTable]) -> Iterator[tuple[_Key, _Position]]:
    """Yield the position of each event that may be shared; equal events have equal keys."""
    for number, table in enumerate(tables):
        for use, timeline in enumerate(table.timelines):
            for at, event in enumerate(timeline.events):
                if event.kind in _KINDS:
                    said = "" if event.kind == "waited" else event.text  # a model words the same wait in two ways
                    yield (timeline.session, event.kind, event.record, event.agent, said), _Position(number, use, at)


def _find_event(tables: Sequence[SessionTable], position: _Position) -> Event:
    return tables[position.table].timelines[position.timeline].events[position.event]


def _rank(tables: Sequence[SessionTable], position: _Position) -> tuple[int, int]:
    """Return a sort key: the text with the latest step before the event comes first, then the one loaded first."""
    events = tables[position.table].timelines[position.timeline].events
    before = events[: bisect_left(events, events[position.event].record, key=lambda event: event.record)]
    last = max((event.record for event in before if event.line and event.kind in _STEP_KINDS), default=0)
    return -last, next((event.record for event in events if event.kind == "loaded"), 0)


def _format_line(tables: Sequence[SessionTable], position: _Position) -> str:
    """Return the name of the text, with the line of the event if it has one."""
    line = _find_event(tables, position).line
    return tables[position.table].unit + (f" line {line}" if line else "")


def _change_events(number: int, table: SessionTable, changed: dict[_Position, Event | None]) -> SessionTable:
    """Return a table with the changed events, and without those that stay in another one."""
    timelines = [
        replace(timeline, events=tuple(_list_kept(timeline, number, use, changed)))
        for use, timeline in enumerate(table.timelines)
    ]
    return replace(table, timelines=tuple(timelines))


def _list_kept(timeline: Timeline, table: int, use: int, changed: dict[_Position, Event | None]) -> Iterator[Event]:
    for at, event in enumerate(timeline.events):
        if kept := changed.get(_Position(table, use, at), event):
            yield kept
