"""Test that the Stop hook asks a judge only if the project's configuration says so."""

import json

import pytest

from orchestrator.guard.hooks.dispatch import dispatch
from tests.fakes import write_config
from tests.orchestrator.model.questions import OBJECTIVE
from tests.scripted_api import get_last_user_text, tool_call

FINISHED_SESSION = [
    {"role": "user", "content": "Fix the sum in the parser."},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "e1", "name": "Edit",
                                       "input": {"file_path": "a.py", "old_string": "a", "new_string": "b"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "e1", "content": "ok"}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "b1", "name": "Bash",
                                       "input": {"command": "pytest"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b1", "content": "3 passed in 0.1s"}]},
    {"role": "assistant", "content": "Fixed."},
]  # fmt: skip


@pytest.fixture
def run_stop_hook(project, tmp_path):
    path = tmp_path / "0b5e1d9c.jsonl"
    path.write_text("".join(json.dumps({"message": message}) + "\n" for message in FINISHED_SESSION))

    def stop(**hooks):
        write_config(project, hooks={"power_steering": True, **hooks})
        hook_input = {"session_id": "0b5e1d9c", "transcript_path": str(path), "hook_event_name": "Stop"}
        return dispatch("Stop", json.dumps(hook_input), testing=False)

    return stop


def answer_not_satisfied(request):
    items = []
    if "objective_completion" in get_last_user_text(request):
        evidence = [{"record": 0, "quote": "Fix the sum"}]
        items = [
            {"id": "objective_completion", "verdict": "not_satisfied", "reason": "b is no sum", "evidence": evidence}
        ]
    return tool_call("StructuredOutput", answers=items)


def test_stop_hook_asks_no_judge_by_default(run_stop_hook, api):
    assert "decision" not in run_stop_hook()
    assert not api.requests


def test_stop_hook_blocks_on_a_finding_of_the_configured_judge(run_stop_hook, project, api, write_considerations):
    write_considerations(OBJECTIVE, project)
    api.script = answer_not_satisfied
    answer = run_stop_hook(judge="sdk")
    assert answer["decision"] == "block"
    assert "b is no sum" in answer["reason"]
    assert len(api.model_requests) == 1


def test_stop_hook_costs_no_more_than_configured(run_stop_hook, api):
    assert "decision" not in run_stop_hook(judge="sdk", max_cost_usd=0.01)
    assert not api.requests
