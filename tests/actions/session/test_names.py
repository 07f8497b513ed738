"""Test that the short names of sessions are unique."""

from actions.session.names import name_sessions


def test_names_are_short_if_unique():
    assert name_sessions(["37f33d82-25cc", "e8b2a5e1-77aa"]) == {
        "37f33d82-25cc": "37f33d82",
        "e8b2a5e1-77aa": "e8b2a5e1",
    }


def test_names_grow_until_they_differ():
    names = name_sessions(["the-harbour-on-2026-03-01-a", "the-harbour-on-2026-03-01-b", "the-harbour-on-2026-03-01-b"])
    assert list(names.values()) == ["the-harbour-on-2026-03-01-a", "the-harbour-on-2026-03-01-b"]
    assert name_sessions([]) == {}
