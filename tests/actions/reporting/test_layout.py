"""Test the layout of SKILL.md: the positions of its rules, and which of them survive a compaction."""

from actions.reporting.layout import measure_layout
from schemas.vocabulary import Fate
from tests.fakes import make_case

FILL = "".join(f"The column `w_{n}` of the export holds the sum of week {n} in whole cents.\n\n" for n in range(330))


def map_fates(body, **files):
    return {rule.text: rule.fate for rule in measure_layout(make_case(body, **files).skill).rules}


def test_layout_keeps_rules_before_the_cut_and_repeated_ones():
    fates = map_fates(
        "Never feed the gulls.\n\n" + FILL + "Never ring a chick.\n\nAlways close the hide.\n\nNever feed the gulls.\n",
        phases__end="# End\n\nAlways close the hide.\n",
    )
    assert fates["Never ring a chick."] is Fate.LOST
    assert fates["Always close the hide."] is Fate.REPEATED
    assert measure_layout(make_case("Never feed the gulls.\n").skill).rules[0].fate is Fate.SURVIVES


def test_layout_places_a_rule_at_the_token_of_its_line_end():
    rules = measure_layout(make_case("Never feed the gulls.\n\n" + FILL + "Never ring a chick.\n").skill).rules
    first, last = rules
    assert (first.line, first.token) == (8, round((100 + len("\n# Plover\n\nNever feed the gulls.\n")) / 4))
    assert last.token > 5000
    rules_before_the_cut = "Never ring a chick.\n\n" * 2000
    for rule in measure_layout(make_case(rules_before_the_cut).skill).rules:
        assert (rule.token <= 5000) == (rule.fate is Fate.SURVIVES) or rule.fate is Fate.REPEATED


def test_layout_keeps_the_first_rules_and_counts_all():
    layout_of_many = measure_layout(make_case("\n\n".join(f"Never ring chick {n}." for n in range(300))).skill)
    assert (layout_of_many.total, len(layout_of_many.rules)) == (300, 200)
