"""Test the judge of sessions, through `check --judge sdk`: its questions, and which answers count."""

import asyncio
import json

import pytest
from click.testing import CliRunner

import schemas
from actions.session.example import agent, bash, edit, todos, user
from orchestrator.cli.check import check
from orchestrator.guard.compat.steering import analyze_consideration
from tests.examples import make_messages
from tests.orchestrator.model.questions import OBJECTIVE
from tests.scripted_api import Reply, get_last_user_text, tool_call

SESSION_WITH_OPEN_TODO = (user("Fix the sum."), edit("sum.py", "x = 1"), todos(Round_it="pending"), agent("Fixed."))
FINISHED_SESSION = (user("Fix the sum."), edit("sum.py", "x = 1"), bash("pytest", "3 passed in 0.1s"), agent("Fixed."))


TODOS = ("todos_complete", "todos_unknown", "todos_lied", "todos_twice")
"""Considerations with the same checker, so that one query can be answered in four ways."""
OBJECTIVES = ("objective_completion", "objective_lied")
CONSIDERATIONS = "".join(OBJECTIVE.replace(OBJECTIVES[0], id) for id in OBJECTIVES) + "".join(
    f"- {{id: {id}, category: 1 completion, question: Are all todo items completed?, severity: blocker,"
    " checker: _check_todos_complete}\n"
    for id in TODOS
)


@pytest.fixture
def considerations_of_one_query(write_considerations):
    """Configure so few considerations that one query is enough, because each query starts Claude Code."""
    write_considerations(CONSIDERATIONS)


@pytest.fixture
def check_session(tmp_path, monkeypatch, api):
    """Return a function that checks a session with a judge and returns the printed JSON with stderr."""
    monkeypatch.chdir(tmp_path)

    def run(parts, *options, code=None):
        path = tmp_path / "s1.jsonl"
        path.write_text("\n".join(json.dumps({"message": message}) for message in make_messages(*parts)))
        result = CliRunner().invoke(
            check, [str(path), "--judge", "sdk", "--format", "json", *options], standalone_mode=False
        )
        value = json.loads(result.stdout)
        schemas.check("check", value)
        assert code is None or result.return_value == code
        return value | {
            "by_id": {consideration["id"]: consideration for consideration in value["considerations"]},
            "stderr": result.stderr,
        }

    return run


def answer_questions(**verdicts):
    """Return a script that answers questions: id=(verdict, record, quote) or id=verdict; all others are satisfied."""

    def script(request):
        question_ids = [
            line.split(": ")[0][3:] for line in get_last_user_text(request).splitlines() if line.startswith("## ")
        ]
        return tool_call(
            "StructuredOutput", answers=[_make_item(id, verdicts.get(id, "satisfied")) for id in question_ids]
        )

    return script


def _make_item(id, answer):
    verdict, *location = (answer,) if isinstance(answer, str) else answer
    evidence = [{"record": location[0], "quote": location[1]}] if location else []
    return {"id": id, "verdict": verdict, "reason": f"it is {verdict}", "evidence": evidence}


@pytest.mark.usefixtures("one_start_per_schema")
def test_session_check_sends_at_most_four_queries(check_session, api):
    api.script = answer_questions()
    value = check_session(FINISHED_SESSION, code=0)
    assert 2 <= len(api.model_requests) <= 4
    assert value["sources"]["sdk"] == sum(consideration["applicable"] for consideration in value["considerations"])
    assert value["judge"].startswith("Claude Agent SDK (")
    assert value["cost_usd"] > 0
    assert "127.0.0.1" in value["stderr"]


@pytest.mark.usefixtures("considerations_of_one_query")
def test_session_finding_blocks_only_with_a_true_quote(check_session, api):
    api.script = answer_questions(
        objective_completion=("not_satisfied", 0, "Fix the sum."), objective_lied=("not_satisfied", 0, "Fix the roof.")
    )
    value = check_session(FINISHED_SESSION, code=1)
    true_answer, false_answer = value["by_id"]["objective_completion"], value["by_id"]["objective_lied"]
    assert (true_answer["satisfied"], true_answer["source"]) == (False, "sdk")
    assert true_answer["evidence"] == [{"record": 0, "quote": "Fix the sum."}]
    assert false_answer["satisfied"] is None
    assert "does not contain" in false_answer["reason"]


@pytest.mark.usefixtures("considerations_of_one_query")
def test_judge_overrules_a_record_only_with_a_sound_verdict(check_session, api):
    verdicts = {
        "todos_unknown": "unknown", "todos_lied": ("not_satisfied", 1, "words that no one said"),
        "objective_lied": ("not_satisfied", 0, "Fix the roof."),
    }  # fmt: skip

    def script(request):
        answers = [_make_item(id, verdicts.get(id, "satisfied")) for id in (*OBJECTIVES, *TODOS)]
        return tool_call(
            "StructuredOutput",
            answers=[*answers, _make_item("todos_twice", "unknown"), _make_item("made_up", "not_satisfied")],
        )

    api.script = script
    value = check_session(SESSION_WITH_OPEN_TODO, code=1)
    accepted_answer, *rejected_answers = (value["by_id"][id] for id in TODOS)
    assert (accepted_answer["satisfied"], accepted_answer["source"]) == (True, "sdk")
    assert "the records say otherwise" in accepted_answer["reason"]
    assert [(rejected_answer["satisfied"], rejected_answer["source"]) for rejected_answer in rejected_answers] == [
        (False, "heuristic")
    ] * 3
    assert "made_up" not in value["by_id"]
    assert value["sources"]["sdk"] == 2
    assert len(api.model_requests) == 1


@pytest.mark.usefixtures("considerations_of_one_query")
def test_failing_judge_leaves_the_heuristics_and_a_note(check_session, api):
    api.script = lambda request: Reply(status=401, error={"type": "authentication_error", "message": "no"})
    value = check_session(SESSION_WITH_OPEN_TODO, code=1)
    assert value["sources"]["sdk"] == 0
    assert "did not answer (session: " in value["notes"][0]
    assert "only proven findings" in value["notes"][-1]


@pytest.mark.usefixtures("one_start_per_schema")
def test_analyze_consideration_asks_the_sdk(tmp_path, api):
    consideration = {"id": "zero-bs", "question": "Is it free of stubs?", "category": "Quality"}
    talk = [
        {"role": "user", "content": "Fix the sum."},
        {"role": "assistant", "content": "Fixed, but for the rounding."},
    ]
    for verdict, satisfied in (("satisfied", True), (("not_satisfied", 1, "but for the rounding"), False)):
        api.script = answer_questions(**{"zero-bs": verdict})
        assert asyncio.run(analyze_consideration(talk, consideration, tmp_path)) is satisfied
    assert len(api.model_requests) == 2
