"""Test `tune-skill trigger` with the real Claude Code; only the model is scripted."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from actions.trigger.causes import Arm
from actions.trigger.prompts import Prompt
from actions.trigger.repeats import TriggerRun
from orchestrator.cli.input.finished import find_result
from orchestrator.cli.output.trigger import format_trigger
from orchestrator.cli.status import status
from orchestrator.errors import BadInput
from orchestrator.fs import durable
from orchestrator.fs.durable import write_json
from orchestrator.model import agent
from orchestrator.run.store import system_clock
from orchestrator.tuning.trial import recording
from orchestrator.tuning.trial.folders import RESULT, create_folder, read_result
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.sandbox import choose_folder, create_bare_sandbox
from orchestrator.tuning.trigger import measurement, report
from orchestrator.tuning.trigger.conduct import FOLDER, run_trigger
from orchestrator.tuning.trigger.plan import TriggerPlan
from orchestrator.tuning.trigger.skill_set import read_skill_set
from schemas.codec import to_json
from tests.orchestrator.tuning.trial.conftest import interrupt_after_result
from tests.orchestrator.tuning.trigger.conftest import list_skills, write_prompts_file, write_skill
from tests.scripted_api import Reply, get_last_user_text, text_block, tool_call

GULLS = Prompt("prompt-001", "How many gulls are there?", ("count",), "set:1")
BOATS = Prompt("prompt-002", "Paint the boat.", (None,), "set:2")
LONG_CELL = {"expected": "count", "called": "one-with-a-long-name", "prompts": ["prompt-001"]}
LONG_DESCRIPTION = "Sorts stones by weight, colour and shape. " * 5


@pytest.fixture
def skills_folder(project):
    """Return the folder of two skills: `count` for gulls, `ring` for bands."""
    write_skill(project / "skills", "count", "Counts gulls on piers and roofs.")
    write_skill(project / "skills", "ring", "Rings gulls on piers with bands.")
    return project / "skills"


def measure_prompts(skill, *prompts, among=(), **options):
    """Test with a few prompts, fewer than the command allows."""
    plan = TriggerPlan(read_skill_set(str(skill), among), prompts, **{"max_cost_usd": 50.0, "jobs": 4, **options})
    return run_trigger(plan, system_clock(), print)


def write_queries(folder, count):
    """Write a query file of skill-creator: `count` queries that should trigger, and four that should not."""
    queries = [{"query": f"How many gulls sat on pier {n}?", "should_trigger": True} for n in range(count)]
    queries += [{"query": f"Paint boat {n}.", "should_trigger": False} for n in range(4)]
    file = folder / "trigger_evals.json"
    file.write_text(json.dumps(queries))
    return file


def count_rows(result):
    return {row["expected"]: (row["right"], row["faults"]) for row in result["classes"]}


@pytest.mark.slow
def test_every_call_is_counted_with_ten_jobs(skills_folder, api, run_trigger_command):
    """A call with a wrong name or a read of SKILL.md does not count as a call."""
    shutil.copytree(skills_folder / "count", Path.home() / ".claude" / "skills" / "count")
    replies = {
        "pier 3": tool_call("Skill", skill="tally"), "How many gulls": tool_call("Skill", skill="count"), "boat 3": tool_call("Skill", skill="count"),
        "boat 2": tool_call("Read", file_path=".claude/skills/ring/SKILL.md"),
    }  # fmt: skip
    api.script = lambda request: next(
        (answer for phrase, answer in replies.items() if phrase in get_last_user_text(request)), text_block("Done.")
    )
    options = ("--jobs", 10, "--runs", 1, "--max-cost-usd", 20, "--format", "json")
    code, out, err = run_trigger_command(
        skills_folder / "count", "--prompts", write_queries(skills_folder, 4), *options
    )
    result = json.loads(out)
    assert code == 1, err
    assert count_rows(result) == {"count": (3, 1), None: (3, 1)}
    assert [prompt_row["cause"] for prompt_row in result["prompts"] if prompt_row["verdict"] == "fault"] == [
        "weak",
        "broad",
    ]
    assert [prompt_row["called"] for prompt_row in result["prompts"]] == ["count"] * 3 + [None] * 4 + ["count"]
    assert result["notes"] == [
        "skills called by a wrong name (the call failed): tally",
        "SKILL.md was opened with Read, which does not count as a call: ring",
    ]
    # Each run ends at a correct call; the two errors are run again with only this skill installed.
    assert len(api.model_requests) == 13


def test_similar_skills_show_which_is_called_instead(skills_folder, project, api):
    plugin = project / "plug"
    (plugin / ".claude-plugin").mkdir(parents=True)
    (plugin / ".claude-plugin" / "plugin.json").write_text('{"name": "plug"}')
    write_skill(plugin / "skills", "count", "Counts gulls on piers and roofs.")
    terns = Prompt("prompt-002", "Which gulls are on the roofs?", ("plug:count",), "set:2")
    api.script = lambda request: tool_call(
        "Skill", skill="count" if "roofs" in get_last_user_text(request) else "plug:count"
    )
    result = measure_prompts(skills_folder / "count", GULLS, terns, among=[str(plugin)], runs=1)
    cells = {(cell["expected"], cell["called"]) for cell in result["matrix"]}
    assert cells == {("count", "plug:count"), ("plug:count", "count")}
    assert [prompt_row["shared_words"]["both"] for prompt_row in result["prompts"]] == [["gulls"], ["gulls", "roofs"]]
    out = "\n".join(format_trigger(result))
    assert "expected count, called plug:count" in out
    assert "shared words, not proven: gulls, roofs (both descriptions)" in out


def test_without_a_login_nothing_is_run(skills_folder, project, api, run_trigger_command, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    code, out, err = run_trigger_command(skills_folder / "count", "--prompts", write_prompts_file(project, "count"))
    assert (code, out, api.model_requests) == (2, "", [])
    assert err.startswith("tune-skill: trigger test runs use an empty HOME, so your login is not available")


def test_refused_key_does_not_count_as_an_uncalled_skill(skills_folder, project, api, run_trigger_command):
    api.script = lambda request: Reply(
        status=401, error={"type": "authentication_error", "message": "invalid x-api-key"}
    )
    code, out, err = run_trigger_command(skills_folder / "count", "--prompts", write_prompts_file(project, "count"))
    assert (code, out) == (4, "")
    assert "% of" not in err.partition("prompts and descriptions are sent")[2]
    assert "repeat the command to continue (no run is paid for twice)" in err


def test_timeout_does_not_count_as_an_uncalled_skill(skills_folder, api, monkeypatch):
    monkeypatch.setattr(measurement, "SECONDS", 1)
    api.script = lambda request: Reply((text_block("Done."),), delay=4)
    result = measure_prompts(skills_folder / "count", BOATS, runs=1)
    assert result["prompts"][0]["verdict"] == "unknown"
    assert not result["is_complete"]
    assert result["notes"] == ["1 run failed and did not count: not finished within 1 s"]


def test_stopped_test_continues_and_pays_nothing_twice(skills_folder, api):
    limit = 3.2 * TriggerPlan(read_skill_set(str(skills_folder / "count"), ()), ()).run_estimate
    usage = {"input_tokens": 20_000, "output_tokens": 100}

    def answer(request):
        return Reply(
            (tool_call("Skill", skill="count"),) if "gulls" in get_last_user_text(request) else (text_block("Done."),),
            usage=usage,
        )

    api.script = answer
    first_result = measure_prompts(skills_folder / "count", GULLS, BOATS, max_cost_usd=limit, jobs=1)
    assert first_result["why"].startswith("the cost limit of")
    assert [prompt_row["verdict"] for prompt_row in first_result["prompts"]] == ["right", "unknown"]
    second_result = measure_prompts(skills_folder / "count", GULLS, BOATS)
    assert [prompt_row["verdict"] for prompt_row in second_result["prompts"]] == ["right", "right"]
    assert (second_result["folder"], second_result["cost"]["runs"], len(api.model_requests)) == (
        first_result["folder"],
        2,
        2,
    )


def test_ended_test_is_reported_after_an_interrupt(
    skills_folder, project, scripted_calls, run_trigger_command, monkeypatch
):
    arguments = (skills_folder / "count", "--prompts", write_prompts_file(project, "count"))
    scripted_calls += ["count"] * 4
    with monkeypatch.context() as patch:
        interrupt_after_result(patch, durable)
        code, out, err = run_trigger_command(*arguments)
    (folder,) = project.glob(".workflow/skill-triggers/2*")
    ended = f"the test has ended and its result is saved; see `tune-skill report {folder.name}`"
    assert (code, out, err.splitlines()[-1]) == (130, "", f"tune-skill: interrupted; {ended}")
    _, out, err = run_trigger_command(*arguments, "--yes")
    assert (
        "the same trigger test has ended and cost 0.08 USD, and its result may not have been shown, so nothing is run"
        in err
    )
    assert "count" in out
    scripted_calls += ["count"] * 4
    _, _, err = run_trigger_command(*arguments)
    assert f"the same trigger test has ended and cost 0.08 USD; `tune-skill report {folder.name}` shows" in err


def test_test_continued_with_a_higher_limit_is_shown_though_its_limited_result_was(
    skills_folder, project, scripted_calls, run_trigger_command, monkeypatch
):
    limit = 1.005 * TriggerPlan(read_skill_set(str(skills_folder / "count"), ()), ()).reserve
    arguments = (skills_folder / "count", "--prompts", write_prompts_file(project, "count"), "--runs", "1", "--yes")
    scripted_calls += ["count"] * 4
    assert run_trigger_command(*arguments, "--max-cost-usd", limit)[0] == 1
    with monkeypatch.context() as patch:
        interrupt_after_result(patch, durable)
        assert run_trigger_command(*arguments, "--max-cost-usd", "9")[0] == 130
    code, out, err = run_trigger_command(*arguments, "--max-cost-usd", "9")
    assert (code, "nothing is run" in err, "count" in out) == (0, True, True), err


def test_model_in_claude_code_raises_no_limit(skills_folder, project, scripted_calls, run_trigger_command, monkeypatch):
    limit = 1.005 * TriggerPlan(read_skill_set(str(skills_folder / "count"), ()), ()).reserve
    arguments = (
        skills_folder / "count",
        "--prompts",
        write_prompts_file(project, "count"),
        "--runs",
        "1",
        "--max-cost-usd",
    )
    scripted_calls += ["count"] * 4
    code, _, err = run_trigger_command(*arguments, limit)
    assert code == 1, err
    monkeypatch.setenv("CLAUDECODE", "1")
    calls_left = len(scripted_calls)
    code, _, err = run_trigger_command(*arguments, "9", "--yes")
    assert (code, len(scripted_calls) == calls_left > 0) == (2, True)
    assert "only you can allow this, in a terminal" in err
    monkeypatch.delenv("CLAUDECODE")
    code, _, err = run_trigger_command(*arguments, "9")
    assert (code, scripted_calls) == (0, []), err


def test_killed_test_continues_and_leaves_nothing(skills_folder, api):
    plan = TriggerPlan(read_skill_set(str(skills_folder / "count"), ()), (GULLS, BOATS), max_cost_usd=50.0, jobs=4)
    folder = create_folder(plan.skills.path, system_clock(), {"key": plan.key}, FOLDER)
    lost_sandbox, graded_sandbox = (create_bare_sandbox(choose_folder(), ()) for _ in range(2))
    with Ledger.open(folder) as ledger:
        for key, sandbox in (
            (Key(GULLS.name, 1, "among"), lost_sandbox),
            (Key(BOATS.name, 1, "among"), graded_sandbox),
        ):
            ledger.record("began", key, 1.0, folder=str(sandbox.base))
        facts = {"found": to_json(TriggerRun()), "model": "m", "transcript": ""}
        ledger.record("held", Key(BOATS.name, 1, "among"), 0.5, folder=str(graded_sandbox.base), **facts)
    result = measure_prompts(skills_folder / "count", GULLS, BOATS)
    assert [prompt_row["verdict"] for prompt_row in result["prompts"]] == ["right", "right"]
    assert (result["folder"], result["cost"]["runs"], len(api.model_requests)) == (str(folder), 2, 1)
    assert 0.5 < result["cost"]["usd"] < 1.0  # The lost run counts as one turn.
    assert not lost_sandbox.base.exists()
    assert not graded_sandbox.base.exists()


def test_full_disk_for_a_transcript_loses_no_paid_run(skills_folder, scripted_calls, monkeypatch, capsys):
    play = agent.run_session

    async def run_session(request):
        file = request.folder.parent / "home" / ".claude" / "projects" / "p" / "session.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text("{}")
        return await play(request)

    monkeypatch.setattr(agent, "run_session", run_session)
    monkeypatch.setattr(recording, "save_transcript", lambda *_: "No space left on device")
    scripted_calls.append("count")
    result = measure_prompts(skills_folder / "count", GULLS, BOATS, jobs=1)
    assert [prompt["verdict"] for prompt in result["prompts"]] == ["right", "right"]
    assert result["notes"][-1] == "the transcripts of 2 runs could not be saved"
    assert "its transcript is not saved: No space left on device" in capsys.readouterr().out


def test_result_for_a_whole_project_is_saved_in_the_project(skills_folder, project, scripted_calls):
    scripted_calls.append("count")
    result = measure_prompts(project, GULLS)
    assert (result["name"], result["prompts"][0]["verdict"]) == ("project", "right")
    assert Path(result["folder"]).is_relative_to(project)
    assert "…a-long-name" in "\n".join(format_trigger({**result, "matrix": [LONG_CELL]}))


def test_neighbours_may_be_called_for_a_refused_skill(skills_folder, scripted_calls):
    scripted_calls.append("ring")
    bands = Prompt("prompt-001", "Put bands on them.", (None,), "set:1", refused=("count",))
    result = measure_prompts(skills_folder / "count", bands)
    assert (result["prompts"][0]["verdict"], result["prompts"][0]["called"]) == ("right", "ring")
    (row,) = report.build_rows(result)
    assert (row["expected"], [cell["is_right"] for cell in row["cells"] if cell["count"]]) == ("any but count", [True])


def test_right_second_run_is_unstable(skills_folder, scripted_calls):
    scripted_calls += ["ring", "count"]
    result = measure_prompts(skills_folder / "count", GULLS)
    assert (result["prompts"][0]["verdict"], result["cost"]["runs"]) == ("unstable", 2)


def test_dropped_neighbours_are_complete_in_the_uncut_arm(skills_folder, api):
    for number in range(20):
        write_skill(skills_folder, f"stone{number:02}", LONG_DESCRIPTION)
    api.script = lambda request: text_block("Done.")
    for arm in (Arm.AMONG, Arm.UNCUT):
        measure_prompts(skills_folder / "count", GULLS, runs=1, arm=arm, model="claude-haiku-4-5")
    listed_among_others, *listings_of_other_arm = map(list_skills, api.model_requests)
    entries = TriggerPlan(read_skill_set(str(skills_folder / "count"), ()), (), model="claude-haiku-4-5").entries
    assert {entry.name for entry in entries if entry.state == "shown"} == listed_among_others.keys() & {
        e.name for e in entries
    }
    assert "stone19" not in listed_among_others
    assert sum("ring" not in listing for listing in listings_of_other_arm) == 1  # With only this skill installed.
    assert sum("stone19" in listing for listing in listings_of_other_arm) == 2  # The explanation and the uncut run.


def test_reports_escape_prompts_and_survive_damage(skills_folder, scripted_calls):
    scripted_calls.append("count")
    prompt = Prompt("prompt-001", "Count <b>gulls</b> | now", (None,), "set:1")
    result = measure_prompts(skills_folder / "count", prompt, BOATS, runs=1, jobs=1)
    for page in (report.format_markdown(result).replace("`Count <b>gulls</b>", ""), report.format_html(result)):
        assert "<b>" not in page
        assert "1 of 2 prompts right, 1 fault" in page
    result["matrix"][0]["prompts"].append("prompt-009")
    assert report.format_html(result) == page, "a name that no prompt has is left out"
    folder = Path(result["folder"])
    assert read_result(folder, "trigger")
    result["prompts"][0]["accepted"] = []
    write_json(folder / RESULT, result)
    with pytest.raises(BadInput, match=r"result\.json: this result is damaged; start the same trigger again"):
        find_result(folder.name)
    result_of_status = CliRunner().invoke(status, [folder.name], standalone_mode=False)
    assert "this result is damaged" in str(result_of_status.exception)
    (folder / RESULT).unlink()
    with pytest.raises(BadInput, match=r"result\.json: there is no result yet"):
        find_result(folder.name)
