"""Test that the time to parse a long frontmatter value is linear, because no time limit applies there."""

import pytest

from actions.fixes.strategies import repair_reference
from actions.project.frontmatter import find_cut_values
from actions.skill import parse_skill
from actions.skill.frontmatter_keys import quote_values
from tests.growth import grows_at_most, measure_seconds

READERS = {
    "quoted": lambda skill: quote_values(skill.main.doc.lines, skill.frontmatter),
    "cut": lambda skill: list(find_cut_values(skill.main.text.replace("when: ", "when "))),
    "heading": lambda skill: repair_reference._PARENTHESES.sub("", skill.main.text.split("\n")[2]),
}


@pytest.mark.parametrize("gap", [" ", " #", "( "])
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_gap_in_a_value_takes_twice_the_time(read, gap):
    def measure(many):
        text = f"---\nname: v\ndescription: Use when: x{gap * many}y\n---\n# Intro\n"
        skill = parse_skill("v", {"SKILL.md": text.encode()})
        return measure_seconds(lambda: read(skill))

    assert grows_at_most(measure, 10_000, 20_000, factor=2.5)
    assert measure(20_000) < 1
