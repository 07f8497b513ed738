"""Test the checks of compactions under the names that amplihack documents."""

import pytest

from orchestrator.guard.compat.compaction import CompactionContext, CompactionValidator
from tests.orchestrator.guard.compaction.test_validator import GOAL, TODO

MANY_MESSAGES = [{"role": ("user", "assistant")[n % 2], "content": f"Message {n}"} for n in range(100)]


@pytest.fixture
def validator(tmp_path):
    new_validator = CompactionValidator(tmp_path)
    new_validator.runtime_dir.mkdir(parents=True)
    return new_validator


def test_validate_todos_names_lost_items_and_how_to_restore_them(validator):
    result = validator.validate_todos([GOAL, TODO], [{"role": "assistant", "content": "I warn at spring tide."}])
    assert not result.passed
    (warning,) = result.warnings
    assert "winter timetable" in warning
    assert "spring" not in warning
    assert any("TodoWrite" in step and "winter timetable" in step for step in result.recovery_steps)


def test_validate_todos_accepts_items_that_are_kept(validator):
    assert validator.validate_todos([TODO], [TODO]).passed
    assert validator.validate_todos([GOAL], []).passed


def test_validate_objectives_asks_to_restate_an_unclear_one(validator):
    result = validator.validate_objectives([GOAL], [{"role": "user", "content": "Continue."}])
    assert not result.passed
    assert "objective" in result.warnings[0].lower()
    assert any("restate" in step.lower() for step in result.recovery_steps)
    assert validator.validate_objectives([GOAL], [{"role": "user", "content": "On with the ferry timetable!"}]).passed


def test_validate_recent_context_compares_by_content(validator):
    turns = [{"role": "user", "content": f"Harbour {n}: the pier was closed at noon {n}"} for n in range(40)]
    context = CompactionContext(True, turn_at_compaction=40)
    assert validator.validate_recent_context(turns, turns[-10:], context).passed
    result = validator.validate_recent_context(turns, [{"role": "user", "content": "Go on."}], context)
    assert not result.passed
    assert result.compaction_context is context
    assert "10" in result.warnings[0]


def test_validate_reads_content_blocks_and_todo_tools(validator):
    block = {"type": "tool_use", "id": "t1", "name": "TodoWrite",
             "input": {"todos": [{"content": "Print the winter timetable", "status": "pending"}]}}  # fmt: skip
    result = validator.validate_todos([{"message": {"role": "assistant", "content": [block]}}], [GOAL])
    assert "winter timetable" in result.warnings[0]


@pytest.mark.parametrize("end", [90, 91])
def test_gap_near_the_compaction_is_lost_context(validator, end):
    context = CompactionContext(True, turn_at_compaction=90, messages_removed=end - 80)
    result = validator.validate_recent_context(MANY_MESSAGES, MANY_MESSAGES[:80] + MANY_MESSAGES[end:], context)
    assert not result.passed
    assert f"messages 81 to {end} of 100" in result.warnings[0]
    assert result.recovery_steps


@pytest.mark.parametrize(
    "after",
    [
        MANY_MESSAGES,
        MANY_MESSAGES[50:],
        MANY_MESSAGES[-20:],
        MANY_MESSAGES[-10:],
        MANY_MESSAGES[:40] + MANY_MESSAGES[60:],
    ],
)
def test_older_messages_may_be_missing(validator, after):
    assert validator.validate_recent_context(MANY_MESSAGES, after, CompactionContext(True)).passed


def make_conversation(count):
    """Return a conversation in which every turn has unique words and words of the project."""
    return [
        {
            "role": ("user", "assistant")[n % 2],
            "content": f"Berth {n}: the ferry timetable of pier {n} has tide mark {n}",
        }
        for n in range(count)
    ]


@pytest.mark.parametrize("kept_count", [50, 40, 30])
def test_missing_end_is_lost_context(validator, kept_count):
    turns = make_conversation(60)
    result = validator.validate_recent_context(turns, turns[:kept_count], CompactionContext(True))
    assert f"messages {kept_count + 1} to 60 of 60 are missing" in result.warnings[0]
    assert result.recovery_steps


def test_missing_end_that_a_summary_retells_is_kept(validator):
    turns = make_conversation(60)
    summary = {
        "isCompactSummary": True,
        "message": {"role": "user", "content": "\n".join(t["content"] for t in turns[50:])},
    }
    assert validator.validate_recent_context(turns, [*turns[:50], summary], CompactionContext(True)).passed


def test_four_missing_messages_at_the_end_are_no_loss(validator):
    turns = make_conversation(60)
    assert validator.validate_recent_context(turns, turns[:56], CompactionContext(True)).passed


def test_objective_is_clear_while_half_of_the_turns_are_kept(validator):
    start, todo_message, thanks_text = GOAL, {"role": "assistant", "content": "TODO: Lock 1\nTODO: Lock 2"}, "Great"
    later_messages = [todo_message, {"role": "user", "content": thanks_text}]
    assert validator.validate_objectives([start, *later_messages], later_messages).passed
