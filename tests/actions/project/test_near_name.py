"""Test that a name is near a known name if only its form or one letter differs, and no other name is as near."""

import pytest

from actions.project.near_name import find_near

KNOWN = ("Read", "Write", "WebFetch", "WebSearch", "Task")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("read", "Read"),
        ("web-fetch", "WebFetch"),
        ("WebFecth", "WebFetch"),
        ("WebFetc", "WebFetch"),
        ("Writes", "Write"),
        ("Reed", "Read"),
        ("Raed", "Read"),
        ("Write", None),
        ("Wr", None),
        ("WebFish", None),
        ("", None),
    ],
)
def test_near_name_is_the_only_known_one(name, near):
    assert find_near(name, KNOWN) == near


def test_near_name_is_unknown_if_two_names_are_similar():
    assert find_near("cats", ("cat", "cut", "cots", "cuts")) is None
