"""Test which texts count their arguments from 1."""

import pytest

from actions.project.argument_numbers import find_counted_arguments
from tests.examples import list_unit_cases, make_project

HINT = "argument-hint: <place> [hour]\n"


def find(text, hint=HINT):
    path = ".claude/commands/count.md"
    (case,) = list_unit_cases(make_project({path: f"---\ndescription: Counts.\n{hint}---\n\n{text}\n"}))
    counted = find_counted_arguments(case.skill)
    return counted and (counted.line, counted.highest, counted.is_complete)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Count $1 at $2.", (6, 2, False)),
        ("Birds.\n\nRead `birds/$1.md`.", (8, 1, False)),
        ("Birds: !`ls $1 $3`", (6, 3, False)),
        ("Count $1 of $ARGUMENTS.", (6, 1, True)),
    ],
)
def test_numbers_from_one_are_found(text, expected):
    assert find(text) == expected


def test_without_a_hint_a_list_must_define_the_number():
    assert find("- `$1`: the place", "") == (5, 1, False)
    assert find("| `$1` | the place |", "") == (5, 1, False)
    assert find("A ring costs $1.", "") is None
    assert find("A query has `$1` and `$2`.", "") is None


@pytest.mark.parametrize(
    "text",
    [
        "Count $0 at $1.",
        "Count $ARGUMENTS[0] at $1.",
        "Count $2.",
        "Run `awk '{print $1}' birds`.",
        "Birds: !`ls | awk '{print $1}'`",
        "```sh\necho $1\n```",
        "A ring costs $1.50, $1,000, $1-2 or $1M.",
        "Write \\$1.",
    ],
)
def test_other_numbers_are_left_alone(text):
    assert find(text) is None
