"""Test the plan that is printed before the first run, and the requirements of a trial."""

import pytest

from orchestrator.cli import main
from orchestrator.errors import BadInput
from orchestrator.model.environment import KEYS, PROVIDERS
from orchestrator.tuning.trial.conduct import ensure_possible, plan_trial
from orchestrator.tuning.trial.plan import describe_plan
from tests.orchestrator.tuning.trial.conftest import write_tasks


def plan_trial_of_greeter(project, model=""):
    return plan_trial("greeter", "old", write_tasks(project, 4), rounds=5, max_cost_usd=30.0, jobs=1, model=model)


@pytest.mark.parametrize(
    ("model", "family", "price"),
    [("claude-haiku-4-5", "Haiku", 0.2), ("sonnet", "Sonnet", 0.6), ("us.anthropic.claude-opus-4-8-v1:0", "Opus", 1),
     ("fable", "Fable", 2), ("of-a-gateway", "Opus", 1)],
)  # fmt: skip
def test_estimate_uses_the_price_of_the_given_model(project, model, family, price):
    plan_of_model, default_plan = plan_trial_of_greeter(project, model), plan_trial_of_greeter(project)
    assert plan_of_model.run_estimate == pytest.approx(price * default_plan.run_estimate)
    assert plan_of_model.reserve == pytest.approx(price * default_plan.reserve)
    runs, cost, power = describe_plan(plan_of_model)
    assert "4 tasks, 5 runs of each task with each version, 40 runs in all" in runs
    assert cost.startswith("the trial costs at most 30.00 USD, or less if it is decided earlier; estimate: ")
    assert cost.endswith(f"USD for all runs, at the list price of Claude {family}")
    assert "with 80 % probability" in power


def test_environment_sets_the_model_of_all_runs(project, monkeypatch):
    assert "no model is given" in describe_plan(plan_trial_of_greeter(project))[1]
    monkeypatch.setenv("ANTHROPIC_MODEL", "claude-haiku-4-5")
    assert plan_trial_of_greeter(project).model == "claude-haiku-4-5"
    assert plan_trial_of_greeter(project, "opus").model == "opus"


@pytest.mark.parametrize("name", ["../../.claude/skills/evil", "/tmp/evil", "..", "A B", "."])
def test_trial_name_is_never_a_path_elsewhere(project, name):
    file = project / "greeter" / "SKILL.md"
    file.write_text(file.read_text().replace("name: greeter", f'name: "{name}"'))
    assert plan_trial_of_greeter(project).name == "greeter"


def test_trial_does_not_accept_or_suggest_a_login(monkeypatch):
    for name in (*KEYS, *PROVIDERS):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(BadInput) as refusal:
        ensure_possible()
    assert "set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN to the output of `claude setup-token`" in str(
        refusal.value
    )
    assert "log in" not in str(refusal.value)
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", "dummy")
    ensure_possible()


def test_trial_reports_all_missing_requirements_at_once(project, capsys):
    for command in (["trial", "greeter", "--against", "nowhere"], ["run", "greeter", "--trial"]):
        with pytest.raises(SystemExit) as exit_info:
            main(command)
        *problems, last_line = capsys.readouterr().err.splitlines()
        assert exit_info.value.code == 2
        assert "set ANTHROPIC_API_KEY" in problems[0]
        assert "greeter: no tasks in evals/" in last_line
        assert [line for line in problems[1:] if "--against nowhere: no such folder" not in line] == []
