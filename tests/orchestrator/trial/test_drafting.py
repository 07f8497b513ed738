"""Tasks that a model drafts: shown, kept outside of the skill, and run only when the user says so."""

import json

import yaml

from tests.orchestrator.trial.conftest import greeter
from tests.scripted_api import tool, tools_of

DRAFT = {"prompt": "Greet the mayor.", "checks": [{"kind": "text", "about": "please", "file": ""},
                                                  {"kind": "rubric", "about": "It is polite.", "file": ""}]}  # fmt: skip


def reader(request):
    """Draft tasks, judge criteria with a quote, or greet."""
    if "StructuredOutput" not in tools_of(request):
        return greeter(request)
    if "Draft 1 tasks" in str(request["messages"]):
        return tool("StructuredOutput", tasks=[DRAFT])
    return tool("StructuredOutput", criteria=[{"number": 1, "met": True, "quote": "Hello, please.", "reason": "so"}])


def test_drafted_tasks_wait_for_the_user_and_then_run(project, api, trial):
    api.script = reader
    code, out, err = trial("greeter", "--against", "old", "--draft-tasks", "1")
    assert code == 3, err
    assert "Greet the mayor." in err
    (file,) = project.glob(".workflow/skill-trials/*/tasks.yaml")
    assert yaml.safe_load(file.read_text())["tasks"][0]["prompt"] == "Greet the mayor."
    assert not (project / "greeter" / "evals").exists()
    code, out, err = trial("greeter", "--against", "old", "--tasks", str(file), "--runs", "2", "--format", "json")
    result = json.loads(out)
    assert (result["before"]["succeeded"], result["after"]["succeeded"]) == (0, 2), err
    rubric = [check for run in result["runs"] for check in run["checks"] if check["label"].startswith("rubric")]
    assert [check["passed"] for check in rubric] == [True, True]  # a run that failed is not put before a reader
