"""A copy may go only where the other line says and binds the same."""

import pytest

from actions.facts.docs.saying import adds_nothing


@pytest.mark.parametrize(
    ("copy", "kept"),
    [
        ("Seal every crate with red wax", "- Seal each and every crate with the red wax."),
        ("- no new seals, no opened crates", "1. No opened crates and no new seals (ask otherwise)."),
        ("| 密封 | 每个箱子用红蜡 |", "| 密封 | 每个箱子用红蜡 | 当天 |"),
        ("Show it to the clerk.", "Open the crate. Show it to the clerk. Close the crate."),
    ],
)
def test_other_words_for_the_same_add_nothing(copy, kept):
    assert adds_nothing(copy, kept)


@pytest.mark.parametrize(
    ("copy", "kept"),
    [
        ("Seal every crate within 3 days", "Seal every crate within 5 days"),
        ("Never seal a crate", "Seal a crate"),
        ("Seal a crate", "Never seal a crate"),
        ("Seal every crate unless the clerk objects", "Seal every crate, the clerk objects"),
        ("Stop when count > 5", "Stop when count < 5"),
        ("Seal it with red wax", "Seal it with wax"),
        ("箱子必须密封", "箱子密封"),
        ("", "Anything"),
    ],
)
def test_a_number_a_bond_or_a_word_more_adds_something(copy, kept):
    assert not adds_nothing(copy, kept)
