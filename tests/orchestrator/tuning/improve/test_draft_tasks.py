"""Test that tasks of an improvement can be drafted from the open findings of the skill."""

import re
from pathlib import Path

import pytest
import yaml

from orchestrator.cli.improve import improve
from orchestrator.cli.input.offer_draft import SavedDrafts
from orchestrator.tuning.improve.plan import Settings
from orchestrator.tuning.improve.plan_checks import ensure_draftable
from orchestrator.tuning.trial.drafting import forecast_drafts
from orchestrator.tuning.trial.fixed_findings import find_open_issues
from orchestrator.tuning.trial.versions import read_version
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


@pytest.mark.parametrize(
    ("count", "limit", "why"),
    [
        ("4", "100", "2 tasks for practice and 2 for the exam; at least 4 are needed for each"),
        ("8", "3", r"the exam costs about \S+ USD and the practice \S+, the drafts 0\.\d\d, .*raise --max-cost-usd to"),
    ],
)
def test_drafts_that_would_be_refused_are_not_paid(project, api, run_improve, count, limit, why):
    code, _, err = run_improve("greeter", "--draft-tasks", count, "--max-cost-usd", limit)
    assert (code, api.model_requests) == (2, [])
    assert re.search(why, " ".join(err.split())), err


@pytest.mark.parametrize("findings", [0, 1, 3])
def test_limit_of_the_help_is_enough_for_its_drafts(project, findings):
    """Each test of a finding runs with two users."""
    options = improve.help.partition("--draft-tasks ")[2].split("\n")[0].split()
    (project / "greeter" / "SKILL.md").write_text(SKILL + "\nRead [the guide](guide.md) first.\n")
    version = read_version(project / "greeter", "today")
    issues = find_open_issues("greeter", version)[:1] * findings
    forecast = forecast_drafts(project / "greeter", version, issues, int(options[0]), "")
    assert forecast.tasks == 12 + 4 * findings
    ensure_draftable(project / "greeter", Settings(max_cost_usd=float(options[2])), forecast)


def test_refused_plan_of_drafts_names_the_file_that_needs_no_others(project, api, run_improve, monkeypatch):
    def draft(*arguments, **more):
        return SavedDrafts(Path(write_tasks(project)), 99.0, is_accepted=True)

    monkeypatch.setattr("orchestrator.cli.input.draft_tasks.draft_tasks_of_open_findings", draft)
    code, _, err = run_improve("greeter", "--draft-tasks", "8", "--yes", *OPTIONS)
    assert code == 2
    assert "to pay for no other drafts, repeat the command with --tasks" in " ".join(err.split())


def test_drafting_excludes_a_tasks_file(project, run_improve):
    code, _, err = run_improve("greeter", "--draft-tasks", "4", "--tasks", "t.yaml", *OPTIONS)
    assert code == 2
    assert "--draft-tasks and --tasks are mutually exclusive" in err
