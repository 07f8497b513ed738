"""Test whole trials with the real Claude Code and a model whose success depends on the text of the skill."""

import json
from pathlib import Path

import pytest

import schemas
from orchestrator.cli.input import finished
from orchestrator.cli.output.results import TrialResult
from orchestrator.fs import durable
from orchestrator.tuning.trial import report
from tests.orchestrator.tuning.trial.conftest import interrupt_after_result, write_tasks


@pytest.mark.slow
def test_trial_calls_a_version_that_helps_better(project, replay, run_trial_command):
    tasks = write_tasks(project, 3)
    code, out, err = run_trial_command("greeter", "--against", "old", "--tasks", tasks, "--runs", "2", "--jobs", "2",
                           "--format", "json")  # fmt: skip
    result = json.loads(out)
    schemas.check("trial", result)
    assert (code, len({*replay.kinds})) == (0, 2), err
    assert (result["verdict"], result["before"]["succeeded"], result["after"]["succeeded"]) == ("better", 0, 6)
    assert result["difference"]["low"] > 0
    assert result["noise_floor"] == 0
    assert "12 runs" in err
    assert "the trial costs at most 5.00 USD" in err
    assert "list price of Claude Opus" in err
    assert {run["used"] for run in result["runs"]} == {True}
    ledger = (Path(result["folder"]) / "ledger.jsonl").read_text().splitlines()
    started_runs = [record["run"] for record in map(json.loads, ledger) if record["event"] == "began"]
    assert started_runs[:6] == [[f"greet-{n // 2}", 1, ("before", "after", "after", "before")[n % 4]] for n in range(6)]
    assert {number for _, number, _ in started_runs[6:]} == {2}  # Each round is complete before the next begins.
    assert [measure["name"] for measure in result["measures"]] == ["tokens", "usd", "seconds", "turns", "compactions"]
    transcript_folder = Path(result["folder"]) / "sessions"
    assert {run["transcript"] for run in result["runs"]} == {path.name for path in transcript_folder.glob("*.jsonl")}
    assert [task["task"] for task in result["tasks"]] == ["greet-0", "greet-1", "greet-2"]
    assert "says nothing about other tasks" in result["notes"][0]
    assert "succeeds in 6 of 6 against 0, noise floor 0: better" in report.format_markdown(result)
    id = Path(result["folder"]).name
    assert f"`tune-skill report {id}`" in err
    assert finished.find_result(id) == TrialResult(result)


@pytest.mark.parametrize(("file", "message"), [("no/x.md", "no such folder no"), (".", "it is a folder")])
def test_output_that_cannot_be_written_is_refused_before_a_run(project, api, run_trial_command, file, message):
    tasks = write_tasks(project, 3)
    code, _, err = run_trial_command(
        "greeter", "--against", "old", "--tasks", tasks, "--format", "markdown", "-o", file
    )
    assert (code, message in err) == (2, True), err
    assert not [*project.rglob("ledger.jsonl")]


def test_ended_trial_is_reported_after_an_interrupt(project, player, run_trial_command, monkeypatch):
    """Ctrl-C or a kill can come when the result is saved but not shown; a repeat would pay for everything again."""
    arguments = ("greeter", "--against", "old", "--tasks", write_tasks(project, 1), "--runs", "2")
    with monkeypatch.context() as patch:
        interrupt_after_result(patch, durable)
        code, out, err = run_trial_command(*arguments)
    (folder,) = project.glob(".workflow/skill-trials/2*")
    ended = f"the trial has ended and its result is saved; see `tune-skill report {folder.name}`"
    assert (code, out, err.splitlines()[-1]) == (130, "", f"tune-skill: interrupted; {ended}")
    for is_new in (False, True):  # The first repeat shows the result, the second one pays for a new one.
        _, out, err = run_trial_command(*arguments, "--yes")
        assert (len(player.prompts), "2 of 2" in out) == (8 if is_new else 4, True), out
        end = (
            f"; `tune-skill report {folder.name}` shows its result, this command pays for a new one"
            if is_new
            else ", and its result may not have been shown, so nothing is run; repeat the command to pay for a new one"
        )
        assert f"tune-skill: the same trial has ended and cost 0.04 USD{end}" in err.splitlines()


def test_trial_continued_with_a_higher_limit_is_shown_though_its_limited_result_was(
    project, player, run_trial_command, monkeypatch
):
    arguments = ("greeter", "--against", "old", "--runs", "2", "--tasks", write_tasks(project, 2), "--yes")
    _, out, _ = run_trial_command(*arguments, "--max-cost-usd", "0.02")
    assert "the cost limit of 0.02 USD is reached" in out
    with monkeypatch.context() as patch:
        interrupt_after_result(patch, durable)
        assert run_trial_command(*arguments, "--max-cost-usd", "9")[0] == 130
    _, out, _ = run_trial_command(*arguments, "--max-cost-usd", "9")
    assert (len(player.prompts), "4 of 4" in out) == (8, True), out


def test_ended_trial_is_paid_again_if_a_task_changed(project, player, run_trial_command, monkeypatch):
    with monkeypatch.context() as patch:
        interrupt_after_result(patch, durable)
        run_trial_command("greeter", "--against", "old", "--tasks", write_tasks(project, 1), "--runs", "2")
    tasks = write_tasks(project, 1, seconds=59)
    assert run_trial_command("greeter", "--against", "old", "--tasks", tasks, "--runs", "2", "--yes")[0] == 0
    assert len(player.prompts) == 8
