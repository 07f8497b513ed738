"""Whole improvements with the real Claude Code; the model is scripted."""

import json
from pathlib import Path

import pytest

import schemas
from tests.orchestrator.tuning.improve.conftest import RULE, SKILL, Model, write_tasks

LIMIT = ("--max-cost-usd", "100", "--exam-runs", "3", "--practice-runs", "1", "--jobs", "2")


@pytest.mark.slow
def test_planted_defect_is_fixed_examined_and_undone(project, api, improve, command):
    api.script = Model()
    code, out, err = improve("greeter", "--tasks", write_tasks(project), *LIMIT, "--format", "json")
    print(err)
    state = json.loads(out)
    schemas.check("improvement", state)
    assert code == 0, state["why"]
    assert [moment["stage"] for moment in state["walk"]] == [
        "planned", "split", "measured", "diagnosed", "drafted", "proved", "screened", "examined", "applied"
    ]  # fmt: skip
    assert RULE in (project / "greeter" / "SKILL.md").read_text()
    code, _, err = command("rollback", Path(state["run"]).name, "--all")
    assert code == 0, err
    assert (project / "greeter" / "SKILL.md").read_text() == SKILL
