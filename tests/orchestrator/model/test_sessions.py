"""Test the judge of sessions, through `check --judge sdk`: its questions, and which answers count."""

import asyncio
import json

import pytest
from click.testing import CliRunner

import schemas
from actions.session.example import agent, bash, edit, todos, user
from orchestrator.cli.check import check
from orchestrator.guard.compat.steering import analyze_consideration
from tests.examples import messages
from tests.orchestrator.model.questions import OBJECTIVE
from tests.scripted_api import Reply, last_said, tool

OPEN = (user("Fix the sum."), edit("sum.py", "x = 1"), todos(Round_it="pending"), agent("Fixed."))
DONE = (user("Fix the sum."), edit("sum.py", "x = 1"), bash("pytest", "3 passed in 0.1s"), agent("Fixed."))


TODOS = ("todos_complete", "todos_unknown", "todos_lied", "todos_twice")
"""Considerations with the same checker, so that one query can be answered in four ways."""
OBJECTIVES = ("objective_completion", "objective_lied")
OWN = "".join(OBJECTIVE.replace(OBJECTIVES[0], id) for id in OBJECTIVES) + "".join(
    f"- {{id: {id}, category: 1 completion, question: Are all todo items completed?, severity: blocker,"
    " checker: _check_todos_complete}\n"
    for id in TODOS
)


@pytest.fixture
def one_query(ask_only):
    """Configure so few considerations that one query is enough, because each query starts Claude Code."""
    ask_only(OWN)


@pytest.fixture
def checked(tmp_path, monkeypatch, api):
    """Check a session with a judge; return the printed JSON, and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(parts, *options, code=None):
        path = tmp_path / "s1.jsonl"
        path.write_text("\n".join(json.dumps({"message": message}) for message in messages(*parts)))
        result = CliRunner().invoke(
            check, [str(path), "--judge", "sdk", "--format", "json", *options], standalone_mode=False
        )
        value = json.loads(result.stdout)
        schemas.check("check", value)
        assert code is None or result.return_value == code
        return value | {"by_id": {one["id"]: one for one in value["considerations"]}, "said": result.stderr}

    return run


def answering(**verdicts):
    """Return a script that answers questions: id=(verdict, record, quote) or id=verdict; all others are satisfied."""

    def script(request):
        asked = [line.split(": ")[0][3:] for line in last_said(request).splitlines() if line.startswith("## ")]
        return tool("StructuredOutput", answers=[_item(id, verdicts.get(id, "satisfied")) for id in asked])

    return script


def _item(id, given):
    verdict, *where = (given,) if isinstance(given, str) else given
    evidence = [{"record": where[0], "quote": where[1]}] if where else []
    return {"id": id, "verdict": verdict, "reason": f"it is {verdict}", "evidence": evidence}


@pytest.mark.usefixtures("short_way")
def test_session_check_sends_at_most_four_queries(checked, api):
    api.script = answering()
    value = checked(DONE, code=0)
    assert 2 <= len(api.asked) <= 4
    assert value["sources"]["sdk"] == sum(one["applicable"] for one in value["considerations"])
    assert value["judge"].startswith("Claude Agent SDK (")
    assert value["cost_usd"] > 0
    assert "127.0.0.1" in value["said"]


@pytest.mark.usefixtures("one_query")
def test_session_finding_blocks_only_with_a_true_quote(checked, api):
    api.script = answering(
        objective_completion=("not_satisfied", 0, "Fix the sum."), objective_lied=("not_satisfied", 0, "Fix the roof.")
    )
    value = checked(DONE, code=1)
    one, lied = value["by_id"]["objective_completion"], value["by_id"]["objective_lied"]
    assert (one["satisfied"], one["source"]) == (False, "sdk")
    assert one["evidence"] == [{"record": 0, "quote": "Fix the sum."}]
    assert lied["satisfied"] is None
    assert "does not contain" in lied["reason"]


@pytest.mark.usefixtures("one_query")
def test_judge_overrules_a_record_only_with_a_sound_verdict(checked, api):
    verdicts = {
        "todos_unknown": "unknown", "todos_lied": ("not_satisfied", 1, "words that no one said"),
        "objective_lied": ("not_satisfied", 0, "Fix the roof."),
    }  # fmt: skip

    def script(request):
        answers = [_item(id, verdicts.get(id, "satisfied")) for id in (*OBJECTIVES, *TODOS)]
        return tool(
            "StructuredOutput", answers=[*answers, _item("todos_twice", "unknown"), _item("made_up", "not_satisfied")]
        )

    api.script = script
    value = checked(OPEN, code=1)
    heard, *others = (value["by_id"][id] for id in TODOS)
    assert (heard["satisfied"], heard["source"]) == (True, "sdk")
    assert "the records say otherwise" in heard["reason"]
    assert [(one["satisfied"], one["source"]) for one in others] == [(False, "heuristic")] * 3
    assert "made_up" not in value["by_id"]
    assert value["sources"]["sdk"] == 2
    assert len(api.asked) == 1


@pytest.mark.usefixtures("one_query")
def test_failing_judge_leaves_the_heuristics_and_a_note(checked, api):
    api.script = lambda request: Reply(status=401, error={"type": "authentication_error", "message": "no"})
    value = checked(OPEN, code=1)
    assert value["sources"]["sdk"] == 0
    assert "did not answer (session: " in value["notes"][0]
    assert "only proven findings" in value["notes"][-1]


@pytest.mark.usefixtures("short_way")
def test_analyze_consideration_asks_the_sdk(tmp_path, api):
    one = {"id": "zero-bs", "question": "Is it free of stubs?", "category": "Quality"}
    talk = [
        {"role": "user", "content": "Fix the sum."},
        {"role": "assistant", "content": "Fixed, but for the rounding."},
    ]
    for verdict, satisfied in (("satisfied", True), (("not_satisfied", 1, "but for the rounding"), False)):
        api.script = answering(**{"zero-bs": verdict})
        assert asyncio.run(analyze_consideration(talk, one, tmp_path)) is satisfied
    assert len(api.asked) == 2
