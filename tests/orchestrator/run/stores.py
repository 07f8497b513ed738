"""A store in a folder, and what stands there."""

import json
from datetime import UTC, datetime, timedelta

from orchestrator.guard.log.events import project_log
from orchestrator.run.store import StateStore
from schemas.records import HistoryEntry, State
from schemas.vocabulary import ActionResult
from tests.schemas.samples import MOMENT

START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


class Clock:
    """A clock that goes on by a second at each look."""

    def __init__(self):
        self.looks = 0

    def __call__(self):
        self.looks += 1
        return START + timedelta(seconds=self.looks)


def a_store(folder):
    store = StateStore(folder, Clock())
    store.create(State(run_id="r-1"))
    return store


def again(store):
    """Give a new store over the same folder."""
    return StateStore(store.path.parent, Clock())


def on_disk(store):
    return json.loads(store.path.read_bytes())


def last_good(store):
    return store.path.with_name("state.json.last-good")


def damaged(store):
    return sorted(path.name for path in store.path.parent.glob("state.json.damaged-*"))


def events(store):
    """Give what the store told of its whole state; the story beside it has its own tests."""
    told = ("run_created", "state_updated", "state_recovered")
    return [event for event in project_log().read() if event["event"] in told]


def history(number):
    return HistoryEntry(f"action-{number}", MOMENT, MOMENT, ActionResult.SUCCESS)
