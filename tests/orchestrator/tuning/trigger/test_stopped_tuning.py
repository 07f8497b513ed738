"""Test that a tuning that was stopped, killed or ran out of disk continues, and pays nothing twice."""

import json
from pathlib import Path

import pytest

from orchestrator.cli import main
from orchestrator.errors import WriteFailed
from orchestrator.model import client
from orchestrator.tuning.trial.ledger import Key
from orchestrator.tuning.trial.sandbox import create_bare_sandbox
from orchestrator.tuning.trigger.tuning import Tuning
from orchestrator.tuning.trigger.writing import find_change, write_description
from tests.full_disk import FullDisk
from tests.orchestrator.tuning.trigger.birds import (
    GOOD_DESCRIPTION,
    NARROW_DESCRIPTION,
    tune_description,
    write_prompts,
)


def test_description_written_before_a_kill_can_be_undone(skills_folder, project, drafts, monkeypatch, capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as exit_info:
            main([*arguments])
        return exit_info.value.code, " ".join(capsys.readouterr().err.split())

    drafts[0].append([GOOD_DESCRIPTION])
    file, skill = write_prompts(project), skills_folder / "count" / "SKILL.md"
    before = skill.read_bytes()
    folder = Path(tune_description(skills_folder / "count", file)["folder"])
    write_description(find_change(skill, before.decode(), GOOD_DESCRIPTION), folder)  # A kill ends the command here.
    undo = f"{folder.name} has written the description in {skill}; to undo this: cp {folder}/SKILL.md.before {skill}"
    repeated_command = ("trigger", "skills/count", "--prompts", str(file), "--tune", "--write", "--yes")
    for arguments in (repeated_command, ("report", folder.name), ("status", folder.name)):
        assert undo in call(*arguments)[1]
    skill.write_text(f"{skill.read_text()}More.\n")
    assert "undo" not in call("report", folder.name)[1]


def test_stopped_tuning_continues_and_pays_nothing_twice(skills_folder, project, drafts):
    """The command stops after each cost in turn; nothing is paid again, and the split and drafts stay the same."""
    drafts_to_give, prompts = drafts
    drafts_to_give += [[NARROW_DESCRIPTION, GOOD_DESCRIPTION]]
    file = write_prompts(project)
    usd, results = 0.2, []
    while not results or results[-1]["tuning"]["why"].startswith("the cost limit"):
        usd += 0.3
        results.append(tune_description(skills_folder / "count", file, max_cost_usd=usd))
    assert results[-1]["tuning"]["is_better"]
    assert len(results) > 3
    assert {result["folder"] for result in results} == {results[0]["folder"]}
    assert len(prompts) == 1
    ledger = (Path(results[0]["folder"]) / "ledger.jsonl").read_text().splitlines()
    reserved_runs = [tuple(record["run"]) for record in map(json.loads, ledger) if record["event"] == "held"]
    assert len(reserved_runs) == len(set(reserved_runs))
    assert Key("draft", 1, "draft") in reserved_runs


def test_crash_at_each_state_pays_nothing_twice(skills_folder, project, drafts, monkeypatch):
    """The command crashes in a measurement, before and after a draft, in a screening and in the exam, and continues."""
    drafts_to_give, prompts = drafts
    drafts_to_give += [[NARROW_DESCRIPTION, GOOD_DESCRIPTION]]
    file, run_prompt = write_prompts(project), Tuning._run_prompt
    ledger, crashes = [], 0
    for limit in (5, 30, 44, 60, 75):
        remaining_steps = [limit - len(ledger)]

        async def crash(self, prompt, key, remaining_steps=remaining_steps):
            remaining_steps[0] -= 1
            if remaining_steps[0] < 0:
                raise RuntimeError("crash")
            await run_prompt(self, prompt, key)

        monkeypatch.setattr(Tuning, "_run_prompt", crash)
        with pytest.raises(RuntimeError, match="crash"):
            tune_description(skills_folder / "count", file)
        crashes += 1
        (path,) = project.rglob("ledger.jsonl")
        ledger = [line for line in path.read_text().splitlines() if '"held"' in line]
    monkeypatch.setattr(Tuning, "_run_prompt", run_prompt)
    tuning = tune_description(skills_folder / "count", file)
    assert (crashes, len(prompts), tuning["tuning"]["is_better"]) == (5, 1, True)
    reserved_runs = [tuple(json.loads(line)["run"]) for line in path.read_text().splitlines() if '"held"' in line]
    assert len(reserved_runs) == len(set(reserved_runs)) > 75


def test_killed_draft_leaves_no_files_and_is_charged_in_full(skills_folder, project, drafts, monkeypatch):
    drafts_to_give, _ = drafts
    drafts_to_give += [[GOOD_DESCRIPTION]]
    file, answer, folders = write_prompts(project), client.send_query, list[Path]()

    async def send_query(query, *, within, claude):
        folders.append(within)
        raise KeyboardInterrupt

    monkeypatch.setattr(client, "send_query", send_query)
    with pytest.raises(KeyboardInterrupt):
        tune_description(skills_folder / "count", file)
    monkeypatch.setattr(client, "send_query", answer)
    create_bare_sandbox(folders[0], ())  # A kill leaves such a sandbox.
    result = tune_description(skills_folder / "count", file)
    assert result["tuning"]["is_better"]
    assert not folders[0].exists()
    records = [json.loads(line) for line in (Path(result["folder"]) / "ledger.jsonl").read_text().splitlines()]
    start_record, loss_record = (next(record for record in records if record["event"] == event and record["run"][0] == "draft")
                   for event in ("began", "lost"))  # fmt: skip
    assert loss_record["usd"] == start_record["usd"]


def test_disk_that_fills_during_a_draft_loses_no_answer(skills_folder, project, drafts, monkeypatch):
    drafts_to_give, prompts = drafts
    drafts_to_give += [[GOOD_DESCRIPTION]]
    file, answer = write_prompts(project), client.send_query
    with monkeypatch.context() as patch:
        disk = FullDisk(project, patch)

        async def send_query(query, **options):
            disk.fill()
            return await answer(query, **options)

        patch.setattr(client, "send_query", send_query)
        with pytest.raises(WriteFailed, match="No space left"):
            tune_description(skills_folder / "count", file)
    assert tune_description(skills_folder / "count", file)["tuning"]["is_better"]
    assert len(prompts) == 1
