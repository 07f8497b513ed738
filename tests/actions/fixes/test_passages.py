"""Test which lines a finding allows a draft to edit, and which text the drafting model gets to copy from."""

import pytest
from msgspec.structs import replace

from actions.fixes.line_range import LineRange
from actions.fixes.passages import cut_passages, list_line_ranges
from actions.review.quotes import list_named_lines
from actions.review.skill_view import view_skill
from schemas.issues import Location
from tests.fakes import make_case
from tests.schemas.samples import make_issue

SKILL = make_case("Feed the bird.\n\nAt noon.\n", pond="One net.\nTwo nets.\nThree nets.\n").skill
PATH = next(path for path in SKILL.by_path if path != "SKILL.md")


def list_lines(sentence):
    return [*list_named_lines(sentence, PATH, SKILL.by_path)]


def test_lines_that_a_sentence_cites_become_evidence():
    assert list_lines("It says one, and line 2 says two.") == [f"{PATH}:2: Two nets."]
    assert list_lines("Lines 1 and 3 differ.") == [f"{PATH}:1: One net.", f"{PATH}:3: Three nets."]
    assert list_lines("It differs from `SKILL.md:1`.") == ["SKILL.md:1: ---"]


def test_lines_that_do_not_exist_are_not_named():
    assert list_lines("See line 900, line 0, no.md:3, https://x.example:8080 and 12:30.") == []


def test_moved_line_of_the_evidence_is_found_again():
    issue = replace(make_issue(1), location=Location("SKILL.md", 2, 2), evidence=("At noon.", f"{PATH}:2: Two nets."))
    assert list_line_ranges(issue, SKILL) == (("SKILL.md", 2, 2), (PATH, 2, 2))
    edited_skill = SKILL.with_files({PATH: b"A net.\n\nOne net.\nTwo nets.\n"})
    assert list_line_ranges(issue, edited_skill) == (("SKILL.md", 2, 2), (PATH, 4, 4))


@pytest.mark.parametrize(
    ("body", "is_shown"),
    [("Feed the gull.\n", True), ("Feed\u200b the gull.\n", False), (f"{'gull ' * 500}\n", False)],
)
def test_file_that_a_question_already_shows_is_not_quoted(body, is_shown):
    skill = make_case(body).skill
    (passage,) = cut_passages(skill, [LineRange("SKILL.md", 1, 1)], view_skill(skill))
    assert passage.text == ("" if is_shown else skill.main.text)
