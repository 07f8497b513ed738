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
from tests.examples import transcript

BOUNDARY = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}}


def summary(text):
    return {"isCompactSummary": True, "message": {"role": "user", "content": text}}


def after(text):
    return Memory(texts=(text,))


def session(text, *later):
    return transcript(
        user("Write an importer for ring numbers of waders."),
        todos(
            Parse_the_ring_numbers="completed", Reject_duplicate_rings="in_progress", Document_the_importer="pending"
        ),
        agent("The parser for ring numbers works, duplicates come next."),
        BOUNDARY,
        summary(text),
        *later,
    )


WHOLE = "Goal: an importer for ring numbers of waders. The parser works.\nNext: reject duplicate rings.\nThen: document the importer."


def losses(parsed):
    return [loss.warning for before, later in build_memories(parsed) for loss in compare_memories(before, later)]


def test_complete_summary_loses_nothing():
    assert losses(session(WHOLE)) == []


def test_item_missing_from_the_summary_is_named():
    (warning,) = losses(session(WHOLE.replace("\nThen: document the importer.", "")))
    assert "Document the importer" in warning
    assert "duplicate" not in warning


def test_later_list_or_message_keeps_an_item():
    short = WHOLE.replace("\nThen: document the importer.", "")
    assert losses(session(short, todos(Document_the_importer="pending"))) == []
    assert losses(session(short, agent("I shall document the importer now."))) == []


def test_scattered_words_do_not_keep_an_item():
    scattered = WHOLE.replace("\nThen: document the importer.", "\nThe document is long.\nThe importer is new.")
    assert len(losses(session(scattered))) == 1


def test_summary_of_something_else_loses_all_three():
    found = losses(session("We spoke about the weather."))
    assert len(found) == 3
    assert any("objective" in warning for warning in found)


@pytest.mark.parametrize(
    "text",
    [
        "TODO: ring the birds\nTODO: weigh them",
        "TODO list:\n1. ring the birds\n2. weigh them",
        "- [ ] ring the birds\n- [x] net\n- [ ] weigh them",
    ],
)
def test_plain_messages_have_items(text):
    assert [item.text for item in build_memory(transcript(agent(text))).todos] == ["ring the birds", "weigh them"]


def test_todo_app_has_no_todo_items():
    assert build_memory(transcript(user("Build a todo app with a list."))).todos == ()


def test_objective_is_the_first_prompt_with_content():
    assert build_memory(transcript(user("hi"), user("Write an importer for rings."))).objective.text.startswith("Write")


def test_objective_survives_in_other_word_forms():
    before = build_memory(transcript(user("Implement the importer for ring numbers")))
    assert find_lost_objective(before, after("We are implementing it: ring number imports work.")) is None
    assert find_lost_objective(before, after("What shall I do?")) is not None


def test_single_word_is_no_objective_and_no_turn():
    before = build_memory(transcript(user("go"), agent("Done."), user("do the work")))
    assert compare_memories(before, after("The birds were counted.")) == ()


def test_short_turns_must_be_kept_whole():
    turns = build_memory(transcript(*(user(f"Turn {n}") for n in range(40))))
    assert find_lost_turns(turns, after("\n".join(f"Turn {n}" for n in range(30, 40)))) is None
    assert "10 of the last 10" in find_lost_turns(turns, after("Turn 1\nTurn 2")).warning


def test_single_turn_is_called_the_last_turn():
    loss = find_lost_turns(build_memory(transcript(user("Count the terns on the shore"))), after("Nothing."))
    assert loss.warning.startswith("Recent context lost: the last turn before the compaction left no trace: ")
    assert loss.recovery[0] == "Review the last turn before the compaction (from record 0)"


def test_empty_memory_loses_nothing():
    empty = build_memory(transcript())
    assert compare_memories(empty, after("")) == ()
    assert find_lost_todos(empty, after("")) is None


def test_stems_of_word_forms_are_the_same():
    assert extract_words("tested testing tests") == extract_words("test tests")
