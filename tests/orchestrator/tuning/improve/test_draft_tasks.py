"""Test that tasks of an improvement can be drafted from the open findings of the skill."""

import yaml

from tests.orchestrator.tuning.improve.conftest import SKILL, write_tasks
from tests.orchestrator.tuning.improve.test_consent import InterruptedInThirdSession
from tests.orchestrator.tuning.trial.test_fixture_drafting import ANSWER
from tests.scripted_api import join_user_text, tool_call

OPTIONS = ("--max-cost-usd", "100")


def test_open_finding_is_drafted_as_tests(project, api, run_improve):
    prompts = []

    def draft(request):
        prompts.append(join_user_text(request))
        return tool_call("StructuredOutput", **ANSWER)

    api.script = draft
    (project / "greeter" / "SKILL.md").write_text(SKILL + "\nRead [the guide](guide.md) first.\n")
    # --yes cannot allow commands that are not drafted yet
    code, _, err = run_improve("greeter", "--draft-tasks", "4", "--yes", *OPTIONS)
    assert code == 3, err
    assert len(prompts) == 1
    (file,) = project.glob(".workflow/skill-trials/*/tasks.yaml")
    tasks = yaml.safe_load(file.read_text())["tasks"]
    assert [task["fixture"]["kind"] for task in tasks] == ["ordinary", "biting", "borderline", "borderline"]
    assert all("guide.md" in task["fixture"]["finding"] for task in tasks)
    assert "guide.md" in prompts[0]
    assert f"to use them again, pass --tasks {file}" in " ".join(err.split())


def test_drafts_do_not_run_before_the_user_sees_them(project, api, run_improve):
    api.script = lambda request: tool_call("StructuredOutput", **ANSWER)
    (project / "greeter" / "SKILL.md").write_text(SKILL + "\nRead [the guide](guide.md) first.\n")
    code, _, err = run_improve("greeter", "--draft-tasks", "4", "--yes", *OPTIONS)
    assert code == 3, err
    assert not [*project.glob(".workflow/skill-improvements/*")]


def test_model_in_claude_code_drafts_nothing(project, api, run_improve, monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    code, _, err = run_improve("greeter", "--draft-tasks", "4", "--yes", *OPTIONS)
    assert (code, api.model_requests) == (2, [])
    assert "in Claude Code no tasks are drafted" in err


def test_nothing_is_drafted_beside_a_stopped_improvement(project, play, run_improve):
    player = play(InterruptedInThirdSession())
    assert run_improve("greeter", "--tasks", write_tasks(project), *OPTIONS, "--quiet")[0] == 130
    code, _, err = run_improve("greeter", "--draft-tasks", "4", *OPTIONS)
    assert (code, player.model.prompts) == (2, [])
    assert "was stopped: `tune-skill resume" in err


def test_drafting_excludes_a_tasks_file(project, run_improve):
    code, _, err = run_improve("greeter", "--draft-tasks", "4", "--tasks", "t.yaml", *OPTIONS)
    assert code == 2
    assert "--draft-tasks and --tasks are mutually exclusive" in err
