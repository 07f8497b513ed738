"""Create stores in a folder, and read their files."""

import json
from datetime import UTC, datetime, timedelta

from orchestrator.guard.log.events import open_project_log
from orchestrator.run.store import StateStore
from schemas.records import HistoryEntry, State
from schemas.vocabulary import ActionResult
from tests.schemas.samples import MOMENT

START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


class Clock:
    """A clock that advances by a second at each call."""

    def __init__(self):
        self.calls = 0

    def __call__(self):
        self.calls += 1
        return START + timedelta(seconds=self.calls)


def make_store(folder):
    store = StateStore(folder, Clock())
    store.create(State(run_id="r-1"))
    return store


def reopen_store(store):
    """Return a new store in the same folder."""
    return StateStore(store.path.parent, Clock())


def read_saved_state(store):
    return json.loads(store.path.read_bytes())


def get_last_good_file(store):
    return store.path.with_name("state.json.last-good")


def list_damaged_files(store):
    return sorted(path.name for path in store.path.parent.glob("state.json.damaged-*"))


def read_state_events(store):
    """Return the events on the whole state; other events have their own tests."""
    names = ("run_created", "state_updated", "state_recovered")
    return [event for event in open_project_log().read() if event["event"] in names]


def make_history_entry(number):
    return HistoryEntry(f"action-{number}", MOMENT, MOMENT, ActionResult.SUCCESS)
