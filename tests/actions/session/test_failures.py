"""Test which results count as failed, and what the user said when refusing a call."""

import pytest

from actions.session.example import bash, use
from actions.session.failures import find_failure, get_refusal
from tests.examples import make_transcript

REFUSAL = "The user doesn't want to proceed with this tool use. To tell you how, the user said:\ntoo slow."


def make_step(part):
    return make_transcript(part).steps[0]


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (bash("berth", "Exit code 2\nno boat", error=True), "Exit code 2 no boat"),
        (bash("berth", '{\n  "success": false,\n  "error_type": "no-id"\n}'), "success: false, error_type: no-id"),
        (bash("berth", 'Already there\n{"ok": false, "message": "full"}'), "ok: false, message: full"),
        (bash("berth", '{"uploaded": false, "reason": "no_folder"}'), "uploaded: false, reason: no_folder"),
        (bash("berth 2>&1 || true", "berth: command not found"), "berth: command not found"),
        (bash("berth", 'Traceback (most recent call last):\n  File "b.py"\nKeyError: 3'), "KeyError: 3"),
        (use("mcp__harbour__berth", '{"success": false, "error": "full"}'), "success: false, error: full"),
    ],
)
def test_failure_is_found_without_an_error_flag(part, words):
    assert find_failure(make_step(part)).words == words


@pytest.mark.parametrize(
    "part",
    [
        bash("berth", '{"success": true, "failed": false}'),
        bash("berth", '{"has_plan": false, "docs": [], "skills": [], "reason": "none"}'),
        bash("git show", "A test that reads\nTraceback (most recent call last):\nand goes on"),
        bash("pytest", "2 passed, no error: fine"),
        bash("berth", None),
        bash("berth", "<tool_use_error>Cancelled: another call failed</tool_use_error>", error=True),
        use("TaskUpdate", "<tool_use_error>Sibling tool call errored</tool_use_error>", error=True),
        bash("berth", REFUSAL, error=True),
        use("Read", '{"success": false}', file_path="a.json"),
    ],
)
def test_other_results_are_not_failures(part):
    assert find_failure(make_step(part)) is None


def test_refusal_gives_the_words_of_the_user():
    assert get_refusal(make_step(bash("make test", REFUSAL, error=True)).result) == "too slow."
    assert get_refusal(make_step(bash("make test", "Exit code 2", error=True)).result) is None
