"""Test that a full disk loses no paid run, and that no run waits for a run that cannot be recorded."""

import asyncio
import errno
import json
import os
from pathlib import Path

import pytest

from orchestrator.errors import WriteFailed
from orchestrator.fs import durable
from orchestrator.model import agent
from orchestrator.model.agent import Session
from orchestrator.tuning.trial import recording
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.paid_runs import PaidRuns
from orchestrator.tuning.trial.sandbox import choose_folder, create_bare_sandbox
from tests.full_disk import FullDisk
from tests.orchestrator.tuning.trial.conftest import write_tasks

_RESERVE = 1.0


def fail_to_rename(monkeypatch, name, code):
    """Let every write of the files with this name fail with an error of the disk."""
    replace = os.replace

    def fail(source, target, **options):
        if Path(target).name == name:
            raise OSError(code, os.strerror(code))
        replace(source, target, **options)

    monkeypatch.setattr(os, "replace", fail)


def leave_transcript(home):
    """Write a transcript where Claude Code writes one."""
    file = home / ".claude" / "projects" / "p" / "session.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("{}\n")


@pytest.fixture
def full_disk(monkeypatch):
    """Let every copy of a transcript fail as on a full disk."""
    write = durable.write_bytes

    def write_bytes(path, *arguments, **options):
        if path.parent.name == "sessions":
            raise WriteFailed(f"cannot write {path}: No space left on device")
        write(path, *arguments, **options)

    monkeypatch.setattr(durable, "write_bytes", write_bytes)


def test_full_disk_for_a_transcript_loses_no_paid_run(project, player, run_trial_command, monkeypatch, full_disk):
    async def run_session(request):
        leave_transcript(request.folder.parent / "home")
        return await player.run_session(request)

    monkeypatch.setattr(agent, "run_session", run_session)
    code, out, err = run_trial_command("greeter", "--against", "old", "--tasks", write_tasks(project, 2), "--runs", "2",
                           "--format", "json")  # fmt: skip
    assert code == 0, err
    result = json.loads(out)
    assert len(result["runs"]) == len(player.prompts) == 8
    assert {run["transcript"] for run in result["runs"]} == {""}
    assert "8 runs left no transcript, or it could not be saved" in result["notes"]
    assert "greet-0.1.before: its transcript is not saved: cannot write" in err


@pytest.mark.parametrize("event", ["held", "graded"])
def test_batch_ends_if_a_run_cannot_be_recorded(api, tmp_path, event):
    started_runs = []

    async def start(sandbox):
        started_runs.append(sandbox)
        await asyncio.sleep(0.01)
        return Session(usd=_RESERVE)

    async def pay(runs, key):
        paid = await runs.run_within_limit(
            key, lambda folder: create_bare_sandbox(folder, ()), start, lambda paid: {"session": {}}
        )
        if paid is not None:
            paid.sandbox.remove()
            runs.ledger.record("graded", key, 0.0)

    async def pay_all(runs):
        async with asyncio.timeout(5):
            await runs.gather(lambda number: pay(runs, Key("one", number, "today")), range(3))

    class FullLedger(Ledger):
        def record(self, name, key, usd, **values):
            if name == event:
                raise WriteFailed("No space left on device")
            super().record(name, key, usd, **values)

    with FullLedger.open(tmp_path / "trial") as ledger, pytest.raises(WriteFailed):
        asyncio.run(pay_all(PaidRuns("trial", ledger, print, _RESERVE, 2.5 * _RESERVE)))
    assert len(started_runs) == 2  # The limit allows two runs at once; the third waited for one of them.
    for sandbox in started_runs:
        sandbox.remove()


def test_transcript_is_saved_after_a_kill(project, api, tmp_path):
    sandbox, key = create_bare_sandbox(choose_folder(), ()), Key("one", 1, "today")
    leave_transcript(sandbox.home)

    async def grade():
        ledger.record("graded", key, 0.0)

    with Ledger.open(tmp_path / "trial") as ledger:
        ledger.record("began", key, 1.0, folder=str(sandbox.base))
        ledger.record("held", key, 0.1, folder=str(sandbox.base), session={})
        runs = PaidRuns("trial", ledger, print, _RESERVE, _RESERVE)
        runs.run_all(grade)
        assert runs.find_transcript(key) == "one.1.today.jsonl"


@pytest.mark.parametrize(("blocks", "free", "is_saved"), [(9_000_000, 1_000_003, True), (9_000_000, 1_000_002, False),
                                                          (0, 0, True)])  # fmt: skip
def test_transcript_leaves_room_for_the_ledger(tmp_path, monkeypatch, blocks, free, is_saved):
    sandbox, target = create_bare_sandbox(choose_folder(), ()), tmp_path / "trial" / "sessions" / "one.jsonl"
    leave_transcript(sandbox.home)
    monkeypatch.setattr(os, "statvfs", lambda _: os.statvfs_result((1, 1, blocks, free, free, 0, 0, 0, 0, 255)))
    reason = recording.save_transcript(sandbox, "", target)
    sandbox.remove()
    assert target.exists() == is_saved
    assert ("the last 1 MB of the disk" in reason) == (not is_saved)


def test_run_that_could_not_be_recorded_is_not_called_killed(tmp_path):
    with Ledger.open(tmp_path / "trial") as ledger:
        ledger.record("began", Key("one", 1, "today"), _RESERVE, folder=str(tmp_path / "sandbox"))
    with Ledger.open(tmp_path / "trial") as ledger:
        recording.charge_killed_runs(ledger)
    last_record = json.loads(ledger.path.read_text().splitlines()[-1])
    assert (last_record["event"], last_record["why"]) == ("lost", "it was killed or could not be recorded")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_result_that_cannot_be_saved_is_made_again_without_paying(
    project, player, run_trial_command, monkeypatch, code
):
    arguments = ("greeter", "--against", "old", "--tasks", write_tasks(project, 2), "--runs", "2", "--format", "json")
    with monkeypatch.context() as patch:
        fail_to_rename(patch, "result.json", code)
        assert run_trial_command(*arguments)[0] == 2
    paid = len(player.prompts)
    assert paid == 8
    status, out, err = run_trial_command(*arguments)
    file = Path(json.loads(out)["folder"]) / "result.json"
    assert (status, len(player.prompts), json.loads(file.read_text())) == (0, paid, json.loads(out)), err
    for damage in (b"", b"{", b"\xff", b'{"schema_version": "99.0.0"}'):
        file.write_bytes(damage)
        status, out, err = run_trial_command(*arguments)
        assert (status, len(player.prompts), file.read_text() != "") == (0, paid, True), err
        assert json.loads(out)["folder"] == str(file.parent)


def test_disk_that_fills_during_a_run_loses_no_paid_run(project, player, run_trial_command, monkeypatch):
    arguments = ("greeter", "--against", "old", "--tasks", write_tasks(project, 2), "--runs", "2", "--format", "json")
    with monkeypatch.context() as patch:
        disk = FullDisk(project, patch)
        player.meanwhile = lambda: len(player.prompts) == 3 and disk.fill()
        code, _, err = run_trial_command(*arguments)
        assert (code, len(player.prompts)) == (2, 3), err
    status, out, err = run_trial_command(*arguments)
    assert (status, len(player.prompts), len(json.loads(out)["runs"])) == (0, 8, 8), err
    assert not [*project.rglob("room")]
