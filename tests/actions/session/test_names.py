"""Test that names of sessions differ."""

from actions.session.names import name_sessions


def test_names_are_short_where_that_is_enough():
    assert name_sessions(["37f33d82-25cc", "e8b2a5e1-77aa"]) == {
        "37f33d82-25cc": "37f33d82",
        "e8b2a5e1-77aa": "e8b2a5e1",
    }


def test_names_grow_until_they_differ():
    names = name_sessions(["recorded-berth-1", "recorded-berth-2", "recorded-berth-2"])
    assert list(names.values()) == ["recorded-berth-1", "recorded-berth-2"]
    assert name_sessions([]) == {}
