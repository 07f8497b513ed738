"""Test which texts count their arguments from 1."""

import pytest

from actions.project.argument_numbers import find_counted_arguments
from schemas.vocabulary import UnitKind
from tests.actions.patterns.rows import find_rows
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
    assert find("place: $1\nhour: $2 if given", "") == (5, 2, False)
    assert find("- hour: `$2`\n- place: `$1`", "") == (6, 2, False)
    assert find("place: $1", "") is None
    assert find("Small: $1.50\n\nLarge: $2", "") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Count $1.\n\nBirds: !`ls $1` of $ARGUMENTS", (8, True)),
        ("Count $1.\n\nBirds: `ls $1` and !`ls | awk '{print $1}'`", (6, False)),
    ],
)
def test_number_in_an_executed_command_comes_first(text, expected):
    path = ".claude/commands/count.md"
    (case,) = list_unit_cases(make_project({path: f"---\ndescription: Counts.\n{HINT}---\n\n{text}\n"}))
    counted = find_counted_arguments(case.skill)
    assert (counted.line, counted.is_executed) == expected


def test_executed_command_makes_the_finding_medium():
    for text, severity in (("Birds: !`ls $1` of $ARGUMENTS", "medium"), ("Birds: $1 of $ARGUMENTS", "low")):
        files = {".claude/commands/count.md": f"---\ndescription: Counts.\n{HINT}---\n\n{text}\n"}
        assert [row[1] for row in find_rows("PRJ-053", files, UnitKind.COMMAND)] == [severity]


@pytest.mark.parametrize(
    ("hint", "text", "severity"),
    [
        ("<place>", "Count $1.", "low"),
        ("place", "Count $1.", "low"),
        ("[place=<name>]", "Count $1.", "low"),
        ("<place> [--all]", "Count $1.", "medium"),
        ("<place> [--all]", "Count $1 of $ARGUMENTS.", "low"),
        ("<list>", "Count the birds in @$1.", "medium"),
        ("<list>", "Count the birds in @birds/$1 of $ARGUMENTS.", "medium"),
        ("<list>", "Write to `birds@$1`.", "low"),
    ],
)
def test_several_arguments_and_attached_files_make_the_finding_medium(hint, text, severity):
    files = {".claude/commands/count.md": f'---\ndescription: Counts.\nargument-hint: "{hint}"\n---\n\n{text}\n'}
    assert [row[1] for row in find_rows("PRJ-053", files, UnitKind.COMMAND)] == [severity]


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
