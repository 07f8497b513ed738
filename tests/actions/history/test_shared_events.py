"""Test that a failure in the runs of several texts is reported once."""

import pytest

from actions.history.session_table import Event, SessionTable, Timeline
from actions.history.shared_events import merge_shared

FAILS = Event("failed", 50, "invalid-json", 53)


def table(unit, *events, session="a1"):
    timeline = Timeline(session, session, "", "", 1, 90, 0, False, tuple(sorted(events, key=lambda one: one.record)))
    return SessionTable(unit, "skill", unit, 1, 1, 1, (), (), (timeline,), ())


def list_texts(*tables):
    merged = merge_shared(tables)
    return {
        one.unit: [e.text for t in one.timelines for e in t.events if e.kind in ("failed", "waited")] for one in merged
    }


def loaded(record):
    return Event("loaded", record, "")


def test_failure_stays_with_the_text_whose_step_came_last():
    address = table("address", loaded(3), Event("done", 40, "git commit", 180), FAILS)
    operations = table("operations", loaded(9), Event("done", 20, "gh pr view", 12), Event("failed", 50, FAILS.text, 7))
    expected = {"address": ["invalid-json (also operations line 7)"], "operations": []}
    assert list_texts(address, operations) == list_texts(operations, address) == expected


def test_failure_without_a_step_before_it_stays_with_the_text_loaded_first():
    assert list_texts(table("late", loaded(9), FAILS), table("early", loaded(3), FAILS)) == {
        "late": [],
        "early": ["invalid-json (also late line 53)"],
    }


def test_wait_in_other_words_is_the_same_wait():
    first, other = (Event("waited", 50, text, is_read=True) for text in ("No one answered.", "It waited."))
    assert list_texts(table("one", loaded(3), first), table("two", loaded(4), other)) == {
        "one": ["No one answered. (also two)"],
        "two": [],
    }


@pytest.mark.parametrize(
    "other",
    [
        table("two", loaded(3), Event("failed", 50, "no boat", 53)),
        table("two", loaded(3), Event("failed", 51, FAILS.text, 53)),
        table("two", loaded(3), FAILS, session="b2"),
        table("two", loaded(3), Event("done", 50, FAILS.text, 53)),
    ],
)
def test_other_events_stay_with_both_texts(other):
    tables = [table("one", loaded(3), FAILS), other]
    assert merge_shared(tables) == tables


def test_failure_at_two_lines_of_one_text_stays_at_both():
    tables = [table("one", loaded(3), FAILS, Event("failed", 50, FAILS.text, 7))]
    assert merge_shared(tables) == tables
