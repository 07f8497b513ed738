"""Report a failure, refusal or wait once if the runs of several texts contain it."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from actions.grouping import group_by_key
from actions.history.session_table import Event, SessionTable, Timeline

_KINDS = frozenset({"failed", "refused", "waited", "truncated"})
_OWN = frozenset({"done", "failed", "repaired", "refused", "forbidden", "late"})
"""The kinds of events that show that a run is in a step of the text."""
_Key = tuple[str, str, int, str, str]
_Place = tuple[int, int, int]
"""The numbers of a table, of a timeline in it, and of an event in that."""


def merge_shared(tables: Sequence[SessionTable]) -> list[SessionTable]:
    """Return the tables with each shared event in one of them only.

    It stays in the table of the text whose step the run carried out last before it; in a tie, of the text loaded
    first. There it names the lines of the other texts.
    """
    found = group_by_key(_list_places(tables))
    changed: dict[_Place, Event | None] = {}
    for places in found.values():
        owner = min(places, key=lambda place: _rank(tables, place))
        others = [place for place in places if place[0] != owner[0]]
        if others:
            event = _event_at(tables, owner)
            also = ", ".join(dict.fromkeys(_name(tables, place) for place in others))
            changed |= dict.fromkeys(others) | {owner: replace(event, text=f"{event.text} (also {also})")}
    return [_change(number, table, changed) for number, table in enumerate(tables)]


def _list_places(tables: Sequence[SessionTable]) -> Iterator[tuple[_Key, _Place]]:
    for number, table in enumerate(tables):
        for use, timeline in enumerate(table.timelines):
            for place, event in enumerate(timeline.events):
                if event.kind in _KINDS:
                    said = "" if event.kind == "waited" else event.text  # a model words the same wait in two ways
                    yield (timeline.session, event.kind, event.record, event.agent, said), (number, use, place)


def _event_at(tables: Sequence[SessionTable], place: _Place) -> Event:
    return tables[place[0]].timelines[place[1]].events[place[2]]


def _rank(tables: Sequence[SessionTable], place: _Place) -> tuple[int, int]:
    """Return a sort key: the text with the latest step before the event comes first, then the one loaded first."""
    events = tables[place[0]].timelines[place[1]].events
    before = events[: bisect_left(events, events[place[2]].record, key=lambda event: event.record)]
    last = max((event.record for event in before if event.line and event.kind in _OWN), default=0)
    return -last, next((event.record for event in events if event.kind == "loaded"), 0)


def _name(tables: Sequence[SessionTable], place: _Place) -> str:
    line = _event_at(tables, place).line
    return tables[place[0]].unit + (f" line {line}" if line else "")


def _change(number: int, table: SessionTable, changed: dict[_Place, Event | None]) -> SessionTable:
    timelines = [
        replace(timeline, events=tuple(_list_kept(timeline, (number, use), changed)))
        for use, timeline in enumerate(table.timelines)
    ]
    return replace(table, timelines=tuple(timelines))


def _list_kept(timeline: Timeline, use: tuple[int, int], changed: dict[_Place, Event | None]) -> Iterator[Event]:
    for place, event in enumerate(timeline.events):
        if kept := changed.get((*use, place), event):
            yield kept
