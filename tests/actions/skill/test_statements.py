"""Prose is read sentence by sentence, each at the line where it begins, however its lines are wrapped."""

import pytest

from actions.example import example_case
from actions.facts.sayings import sayings
from actions.skill.statements import paragraphs, statements
from actions.skill.stems import Stems

WORDS = Stems("letter", "信")


def main(text):
    return example_case(f"# Post\n\n{text}\n").skill.main


def test_a_sentence_may_run_over_lines_and_begins_where_it_begins():
    file = main("Open the box. Read\neach letter. Answer\nit.\n\n- Burn the\n  letters.\n- Go.")
    assert [(said.line, said.text) for said in statements(file, WORDS)] == [
        (8, "Open the box."),
        (8, "Read each letter."),
        (9, "Answer it."),
        (12, "Burn the letters."),
    ]
    assert list(paragraphs(file, WORDS)) == [
        (8, 10, "Open the box. Read each letter. Answer it."),
        (12, 13, "- Burn the letters."),
    ]


@pytest.mark.parametrize(
    ("wrapped", "whole"),
    [
        ("把每一封信\n读完。", "把每一封信读完。"),
        ("信要用\nTask 来读。", "信要用 Task 来读。"),
        ("> 信由 Task\n读。", "信由 Task 读。"),
    ],
)
def test_between_two_han_characters_a_line_end_is_no_blank(wrapped, whole):
    assert [said.text for said in statements(main(wrapped), WORDS)] == [whole]


def test_a_saying_knows_what_announces_it_and_what_was_said_before():
    file = main("Be quick. Each day:\n\n- Open the box. Read the letters.\n- Go.\n\n## Later\n\nBurn the letters.")
    said = {saying.text: (saying.lead, saying.before) for saying in sayings(file, WORDS)}
    assert said == {
        "Open the box.": ("Be quick. Each day:", ""),
        "Read the letters.": ("Be quick. Each day:", "Open the box."),
        "Burn the letters.": ("", ""),
    }


def test_a_row_is_said_by_the_titles_of_its_columns():
    file = main("| What | When |\n|---|---|\n| letters | now |\n| bills | never |")
    assert [(said.text, said.is_row) for said in sayings(file, WORDS)] == [("What letters, When now", True)]


def test_a_line_that_announces_a_list_brings_it_along():
    file = main("The letters:\n\n1. Open them.\n2. Go.\n\nRest.")
    assert [said.text for said in sayings(file, WORDS)] == ["The letters:", "Open them.", "Go."]
    assert [said.text for said in sayings(file, WORDS, 2)] == ["The letters:", "Open them.", "Go."]
