"""Test that texts of the exam are recognized wherever they may not be, and nothing else is."""

import pytest

from actions.improve.task_texts import Seal, TaskText, find_leaked

PRACTICE = TaskText("p", "Write the notes of the release for all users of the old version 3.1.")
EXAM = TaskText(
    "e", "Write the notes of the release for all users of the new version 4.0.",
    ("The notes name each of the breaking changes in their order",), (("log.txt", "fix the lock of gate two at night"),),
)  # fmt: skip
SEAL = Seal.build([EXAM], [PRACTICE])


@pytest.mark.parametrize(
    "text",
    [
        f"Someone wrote: {EXAM.prompt}",
        "for all users of the NEW version,\n4.0",
        "the notes name each of the breaking changes in their order",
        "git said: fix the lock of gate two at night",
    ],
)
def test_seal_finds_texts_of_the_exam(text):
    assert SEAL.find(text)


@pytest.mark.parametrize("text", [PRACTICE.prompt, "Write the notes.", "", "the new version", "(?i)((((((((((a+)+)+"])
def test_seal_is_silent_on_what_practice_shares(text):
    assert SEAL.find(text) == ""


def test_digest_of_a_task_ignores_name_and_checks():
    renamed = TaskText("other", EXAM.prompt, (), EXAM.files)
    assert renamed.digest == EXAM.digest
    assert TaskText("e", EXAM.prompt).digest != EXAM.digest


def test_leaked_tasks_are_those_whose_prompt_a_text_repeats():
    texts = [f"# Skill\n\nExample: {EXAM.prompt}\n"]
    assert find_leaked([EXAM, TaskText("q", "Paint the boat of my aunt green.")], texts) == {"e"}
