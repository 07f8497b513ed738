"""Test the comparison of a session before a compaction with the session after it."""

import pytest

from actions.session.compaction import (
    Memory,
    build_memories,
    build_memory,
    compare_memories,
    extract_words,
    find_lost_objective,
    find_lost_todos,
    find_lost_turns,
)
from actions.session.example import agent, todos, user
from tests.examples import make_transcript

BOUNDARY = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}}


def make_summary(text):
    return {"isCompactSummary": True, "message": {"role": "user", "content": text}}


def make_memory(text):
    return Memory(texts=(text,))


def make_session(text, *after):
    return make_transcript(
        user("Write an importer for ring numbers of waders."),
        todos(
            Parse_the_ring_numbers="completed", Reject_duplicate_rings="in_progress", Document_the_importer="pending"
        ),
        agent("The parser for ring numbers works, duplicates come next."),
        BOUNDARY,
        make_summary(text),
        *after,
    )


COMPLETE_SUMMARY = "Goal: an importer for ring numbers of waders. The parser works.\nNext: reject duplicate rings.\nThen: document the importer."


def list_losses(transcript):
    return [loss.warning for before, after in build_memories(transcript) for loss in compare_memories(before, after)]


def test_complete_summary_loses_nothing():
    assert list_losses(make_session(COMPLETE_SUMMARY)) == []


def test_item_missing_from_the_summary_is_named():
    (warning,) = list_losses(make_session(COMPLETE_SUMMARY.replace("\nThen: document the importer.", "")))
    assert "Document the importer" in warning
    assert "duplicate" not in warning


def test_later_list_or_message_keeps_an_item():
    short_summary = COMPLETE_SUMMARY.replace("\nThen: document the importer.", "")
    assert list_losses(make_session(short_summary, todos(Document_the_importer="pending"))) == []
    assert list_losses(make_session(short_summary, agent("I shall document the importer now."))) == []


def test_scattered_words_do_not_keep_an_item():
    scattered_summary = COMPLETE_SUMMARY.replace(
        "\nThen: document the importer.", "\nThe document is long.\nThe importer is new."
    )
    assert len(list_losses(make_session(scattered_summary))) == 1


def test_unrelated_summary_loses_objective_todos_and_turns():
    warnings = list_losses(make_session("We spoke about the weather."))
    assert len(warnings) == 3
    assert any("objective" in warning for warning in warnings)


@pytest.mark.parametrize(
    "text",
    [
        "TODO: ring the birds\nTODO: weigh them",
        "TODO list:\n1. ring the birds\n2. weigh them",
        "- [ ] ring the birds\n- [x] net\n- [ ] weigh them",
    ],
)
def test_plain_messages_have_items(text):
    assert [item.text for item in build_memory(make_transcript(agent(text))).todos] == ["ring the birds", "weigh them"]


def test_todo_app_has_no_todo_items():
    assert build_memory(make_transcript(user("Build a todo app with a list."))).todos == ()


def test_objective_is_the_first_prompt_with_content():
    assert build_memory(make_transcript(user("hi"), user("Write an importer for rings."))).objective.text.startswith(
        "Write"
    )


def test_objective_survives_in_other_word_forms():
    before = build_memory(make_transcript(user("Implement the importer for ring numbers")))
    assert find_lost_objective(before, make_memory("We are implementing it: ring number imports work.")) is None
    assert find_lost_objective(before, make_memory("What shall I do?")) is not None


def test_single_word_is_neither_objective_nor_turn():
    before = build_memory(make_transcript(user("go"), agent("Done."), user("do the work")))
    assert compare_memories(before, make_memory("The birds were counted.")) == ()


def test_short_turns_must_be_kept_whole():
    memory = build_memory(make_transcript(*(user(f"Turn {n}") for n in range(40))))
    assert find_lost_turns(memory, make_memory("\n".join(f"Turn {n}" for n in range(30, 40)))) is None
    assert "10 of the last 10" in find_lost_turns(memory, make_memory("Turn 1\nTurn 2")).warning


def test_single_turn_is_called_the_last_turn():
    loss = find_lost_turns(build_memory(make_transcript(user("Count the terns on the shore"))), make_memory("Nothing."))
    assert loss.warning.startswith("Recent context lost: the last turn before the compaction left no trace: ")
    assert loss.recovery[0] == "Review the last turn before the compaction (from record 0)"


def test_empty_memory_loses_nothing():
    empty_memory = build_memory(make_transcript())
    assert compare_memories(empty_memory, make_memory("")) == ()
    assert find_lost_todos(empty_memory, make_memory("")) is None


def test_stems_of_word_forms_are_the_same():
    assert extract_words("tested testing tests") == extract_words("test tests")
