"""Test tasks that a model drafts: shown, kept outside of the skill, and run only with consent."""

import json
import shutil

import pytest
import yaml

from orchestrator.tuning.trial.conduct import ensure_draftable
from orchestrator.tuning.trial.drafting import DraftForecast
from orchestrator.tuning.trial.plan import Plan, describe_plan
from orchestrator.tuning.trial.tasks import Task
from orchestrator.tuning.trial.versions import read_version
from tests.orchestrator.tuning.trial.conftest import greet_as_skill_says
from tests.scripted_api import list_tool_names, tool_call
from tests.terminal import Terminal

DRAFT = {"prompt": "Greet the mayor.", "checks": [{"kind": "text", "about": "please", "file": ""},
                                                  {"kind": "rubric", "about": "It is polite.", "file": ""}]}  # fmt: skip


def answer_as_model(request):
    """Draft tasks, judge criteria with a quote, or greet, as the request asks."""
    if "StructuredOutput" not in list_tool_names(request):
        return greet_as_skill_says(request)
    if "Draft 1 tasks" in str(request["messages"]):
        return tool_call("StructuredOutput", tasks=[DRAFT])
    return tool_call(
        "StructuredOutput", criteria=[{"number": 1, "met": True, "quote": "Hello, please.", "reason": "so"}]
    )


def test_drafted_tasks_wait_for_the_user_and_then_run(project, api, replay, run_trial_command):
    api.script = answer_as_model
    code, out, err = run_trial_command("greeter", "--against", "old", "--draft-tasks", "1")
    assert code == 3, err
    assert "Greet the mayor." in err
    (file,) = project.glob(".workflow/skill-trials/*/tasks.yaml")
    assert yaml.safe_load(file.read_text())["tasks"][0]["prompt"] == "Greet the mayor."
    assert not (project / "greeter" / "evals").exists()
    code, out, err = run_trial_command(
        "greeter", "--against", "old", "--tasks", str(file), "--runs", "2", "--format", "json"
    )
    result = json.loads(out)
    assert (result["before"]["succeeded"], result["after"]["succeeded"]) == (0, 2), err
    rubric = [check for run in result["runs"] for check in run["checks"] if check["label"].startswith("rubric")]
    assert [check["passed"] for check in rubric] == [True, True]  # A failed run is not shown to a model.


@pytest.mark.parametrize(
    ("against", "options", "why"),
    [
        ("copy", (), "both versions are the same, so the trial only measures noise"),
        ("old", ("--runs", "3"), "too few runs for a result; run each task at least 4 times"),
    ],
)
def test_drafts_of_a_trial_without_a_result_are_not_paid(project, api, run_trial_command, against, options, why):
    shutil.copytree(project / "greeter", project / "copy")
    code, _, err = run_trial_command("greeter", "--against", against, "--draft-tasks", "1", *options)
    assert (code, api.model_requests) == (2, []), err
    assert f"no tasks are drafted: {why}" in " ".join(err.split())


def test_low_limit_is_named_before_tasks_are_drafted(project):
    said = []
    before, after = (read_version(project / name, name) for name in ("old", "greeter"))
    options = {"rounds": 5, "max_cost_usd": 1.0, "model": "", "say": said.append}
    ensure_draftable(project / "greeter", before, after, DraftForecast(1, 0.1), **options)
    (line,) = said
    assert line.startswith("with 1 task the cost limit pays for about 1 of 5 runs of each task, too few to decide")


def test_saved_tasks_do_not_make_versions_differ(project):
    shutil.copytree(project / "greeter", project / "copy")
    (project / "greeter" / "evals").mkdir(exist_ok=True)
    (project / "greeter" / "evals" / "tasks.yaml").write_text("tasks:\n- name: greet\n  prompt: Greet the mayor.\n")
    sameness = "both versions are the same, so the trial only measures noise"
    assert sameness in describe_plan(plan_drafted(project, "copy"))
    assert sameness not in describe_plan(plan_drafted(project, "old"))


def plan_drafted(project, against):
    root, task = project / "greeter", Task("greet", "Greet.", (), "greet")
    before, after = read_version(project / against, against), read_version(root, "today")
    return Plan("greeter", root, before, after, (task,))


def test_drafted_tasks_wait_even_with_yes(project, api, run_trial_command):
    api.script = answer_as_model
    assert run_trial_command("greeter", "--against", "old", "--draft-tasks", "1", "--yes")[0] == 3
    assert len(api.model_requests) == 1


@pytest.mark.slow
def test_drafts_are_edited_and_kept_only_by_choice(project, api, tmp_path):
    """Two users edit at once: each makes an error, sees the message and corrects it; one keeps the draft."""
    api.script = answer_as_model
    editor = tmp_path / "editor"
    editor.write_text("""#!/bin/sh
        grep -q spoilt "$1" && exec sed -i.old "s/spoilt/checks/; s/mayor/queen/" "$1"
        exec sed -i.old s/checks/spoilt/ "$1"
    """)
    editor.chmod(0o755)
    evals = project / "greeter" / "evals"
    declining_terminal, saving_terminal = (Terminal(project, "trial", skill, "--against", other, "--draft-tasks", "1", EDITOR=str(editor))
               for skill, other in (("old", "greeter"), ("greeter", "old")))  # fmt: skip
    for terminal, answer in ((declining_terminal, b"n\n"), (saving_terminal, b"y\n")):
        terminal.wait_for(b"Use these tasks?")
        assert b"Greet the mayor." in terminal.output
        for keys, seen_text in ((b"e\n", b""), (b"y\n", b"tasks.yaml:3: "), (b"e\n", b"")):
            terminal.output = b""
            terminal.type(keys)
            terminal.wait_for(b"Use these tasks?")
            assert seen_text in terminal.output
        terminal.type(b"y\n")
        terminal.wait_for(b"Save them in")
        assert not evals.exists()
        terminal.type(answer)
        terminal.wait_for(b"Continue?")
        assert b"1 task, 5 runs of each task with each version" in terminal.output
        terminal.type(b"n\n")
        assert b"nothing was run" in terminal.read_all()
        assert terminal.wait_for_end() == 3
    assert [path.name for path in (project / "old").iterdir()] == ["SKILL.md"]
    (saved_task,) = yaml.safe_load((evals / "tasks.yaml").read_text())["tasks"]
    assert saved_task["prompt"] == "Greet the queen."
    assert len([request for request in api.requests if "Base directory" in str(request.body)]) == 0
