"""Test that a listing keeps descriptions whole as long as they fit, those of the most used skills first."""

from actions.project.listing import ListedSkill, compute_listing, measure_listing


def make_skill(name, length, **details):
    return ListedSkill(name, f"{name}/SKILL.md", "project", "x" * length, **details)


def find_states(skills, budget, reserved=0):
    return {entry.name: entry.state for entry in compute_listing(skills, budget, reserved)}


def test_listing_that_fits_is_shown_whole():
    skills = [make_skill("a", 10), make_skill("b", 10)]
    assert measure_listing(skills) == 2 * len("- a: ") + 20 + 1
    assert find_states(skills, measure_listing(skills)) == {"a": "shown", "b": "shown"}


def test_listing_over_budget_drops_what_does_not_fit():
    skills = [make_skill("a", 10), make_skill("b", 30), make_skill("c", 5)]
    expected = {"a": "shown", "b": "dropped", "c": "shown"}
    assert find_states(skills, measure_listing(skills) - 10) == expected
    assert find_states(skills, measure_listing(skills), reserved=10) == expected


def test_listing_keeps_the_most_used_first():
    skills = [make_skill("a", 30), make_skill("b", 30, use=2.0)]
    assert find_states(skills, measure_listing(skills) - 1) == {"a": "dropped", "b": "shown"}


def test_listing_names_hidden_shadowed_and_cut_skills():
    skills = [make_skill("a", 1600), make_skill("a", 5), make_skill("b", 5, is_hidden=True)]
    entries = compute_listing(skills, 30_000)
    assert [entry.state for entry in entries] == ["cut", "shadowed", "hidden"]
    assert [(entry.chars, entry.shown) for entry in entries] == [(1600, 1536), (5, 0), (5, 0)]


def test_listing_counts_wide_characters_twice():
    assert measure_listing([ListedSkill("a", "", "project", "漢字")]) == len("- a: ") + 4
