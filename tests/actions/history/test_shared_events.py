"""Test that a failure in the runs of several texts is reported once."""

import pytest

from actions.history.session_table import Event, SessionTable, Timeline
from actions.history.shared_events import merge_shared

FAILED_EVENT = Event("failed", 50, "invalid-json", 53)


def make_table(unit, *events, session="a1"):
    timeline = Timeline(
        session, session, "", "", 1, 90, 0, False, tuple(sorted(events, key=lambda event: event.record))
    )
    return SessionTable(unit, "skill", unit, 1, 1, 1, (), (), (timeline,), ())


def list_event_texts(*tables):
    merged_tables = merge_shared(tables)
    return {
        table.unit: [e.text for t in table.timelines for e in t.events if e.kind in ("failed", "waited")]
        for table in merged_tables
    }


def make_loaded_event(record):
    return Event("loaded", record, "")


def test_failure_stays_with_the_text_whose_step_came_last():
    address = make_table("address", make_loaded_event(3), Event("done", 40, "git commit", 180), FAILED_EVENT)
    operations = make_table(
        "operations",
        make_loaded_event(9),
        Event("done", 20, "gh pr view", 12),
        Event("failed", 50, FAILED_EVENT.text, 7),
    )
    expected = {"address": ["invalid-json (also operations line 7)"], "operations": []}
    assert list_event_texts(address, operations) == list_event_texts(operations, address) == expected


def test_failure_without_a_step_stays_with_the_first_loaded_text():
    assert list_event_texts(
        make_table("late", make_loaded_event(9), FAILED_EVENT), make_table("early", make_loaded_event(3), FAILED_EVENT)
    ) == {
        "late": [],
        "early": ["invalid-json (also late line 53)"],
    }


def test_wait_with_another_reason_is_the_same_wait():
    first, second_event = (Event("waited", 50, text, is_read=True) for text in ("No one answered.", "It waited."))
    assert list_event_texts(
        make_table("one", make_loaded_event(3), first), make_table("two", make_loaded_event(4), second_event)
    ) == {
        "one": ["No one answered. (also two)"],
        "two": [],
    }


@pytest.mark.parametrize(
    "second_table",
    [
        make_table("two", make_loaded_event(3), Event("failed", 50, "no boat", 53)),
        make_table("two", make_loaded_event(3), Event("failed", 51, FAILED_EVENT.text, 53)),
        make_table("two", make_loaded_event(3), FAILED_EVENT, session="b2"),
        make_table("two", make_loaded_event(3), Event("done", 50, FAILED_EVENT.text, 53)),
    ],
)
def test_other_events_stay_with_both_texts(second_table):
    tables = [make_table("one", make_loaded_event(3), FAILED_EVENT), second_table]
    assert merge_shared(tables) == tables


def test_failure_at_two_lines_of_one_text_stays_at_both():
    tables = [make_table("one", make_loaded_event(3), FAILED_EVENT, Event("failed", 50, FAILED_EVENT.text, 7))]
    assert merge_shared(tables) == tables
