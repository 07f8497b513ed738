"""The spec patterns judge frontmatter and links as the readers of skills do."""

import pytest

from actions.patterns import all_patterns
from actions.skill import Case, parse_skill

BODY = "---\n\nCount the words.\n"


def seen(id, head, folder="word-count"):
    case = Case(parse_skill(folder, {"SKILL.md": f"---\n{head}{BODY}".encode()}))
    return [str(e.severity or all_patterns()[id].PATTERN.severity) for e in all_patterns()[id].look(case)]


@pytest.mark.parametrize(
    ("head", "severity"),
    [
        ("description: Use when asked.\n", ["high"]),
        ("name: word_count!\ndescription: x\n", ["medium"]),
        ("name: Word Count\ndescription: x\n", ["low"]),
        ("name: WordCount\ndescription: x\n", ["low"]),
        (f"name: {'a' * 65}\ndescription: x\n", ["medium"]),
        ("name: line-count\ndescription: x\n", ["low"]),
        ("name: word-count\ndescription: x\n", []),
    ],
)
def test_a_missing_name_weighs_more_than_a_malformed_one_and_that_more_than_another(head, severity):
    assert seen("SPEC-002", head) == severity


def test_a_folder_that_any_skill_may_have_tells_nothing_of_the_name():
    assert seen("SPEC-002", "name: line-count\ndescription: x\n", folder="skill") == []
    assert seen("SPEC-002", "name: line-count\ndescription: x\n", folder="Line Count (1)") == []


@pytest.mark.parametrize(
    ("head", "severity"),
    [
        ("name: word-count\ndescription: Use when: asked\n", ["low"]),
        ("name: word-count\nargument-hint: [file] [lang]\n", ["low"]),
        ('name: word-count\ndescription: "open\n', ["high"]),
        ("name: word-count\n\tdescription: x\n", ["high"]),
    ],
)
def test_a_head_that_only_wants_quotes_is_milder_than_one_that_is_lost(head, severity):
    assert seen("SPEC-001", head) == severity
    assert seen("SPEC-002", head) == seen("SPEC-003", head) == []


@pytest.mark.parametrize(
    "told",
    [
        "Use this skill to count.",
        "Counts whenever a text is long.",
        "统计字数，适用于长文。",
        "Counts. Triggers: wc, words.",
        "文字数を数えるときに使う。",
    ],
)
def test_a_description_with_an_occasion_is_left_alone(told):
    assert seen("SPEC-003", f"name: word-count\ndescription: {told.replace(': ', ' ')}\n") == []


@pytest.mark.parametrize(
    ("key", "severity"),
    [
        ("alowed-tools", ["medium"]),
        ("Description2", ["medium"]),
        ("tools", ["medium"]),
        ("colour", ["low"]),
        ("x-own", []),
        ("hooks", []),
    ],
)
def test_a_slip_of_a_known_key_weighs_more_than_an_unknown_one(key, severity):
    assert seen("SPEC-004", f"name: word-count\n{key}: x\n") == severity


def test_links_that_leave_the_skill_are_not_looked_at_and_neighbours_into_a_missing_folder_are_one():
    text = (
        "[a](../other/SKILL.md) [b](https://example.org/x.md)\n\n- [c](guides/c.md)\n- [d](guides/d.md)\n\n[e](e.md)\n"
    )
    case = Case(parse_skill("word-count", {"SKILL.md": f"---\nname: word-count\n{BODY}\n{text}".encode()}))
    found = list(all_patterns()["SPEC-005"].look(case))
    assert [(e.line, e.line_end) for e in found] == [(9, 10), (12, 12)]
