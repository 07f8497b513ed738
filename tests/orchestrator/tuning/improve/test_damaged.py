"""Test that a disk error or a damaged file loses no improvement, and that no paid amount is forgotten."""

import errno
import json
import os
from pathlib import Path

import pytest

from orchestrator.fs.notes import WORK_DIRS, get_note_file
from orchestrator.run.store import StateStore
from orchestrator.tuning.trial.ledger import Key, Ledger
from tests.orchestrator.tuning.improve.conftest import RULE, Model, write_tasks

LIMIT = ("--max-cost-usd", "60", "--exam-runs", "3", "--practice-runs", "2", "--quiet", "--format", "json")


class Disk:
    """A disk on which the nth write of a file with one of these names fails, once; with nth 0, each write does."""

    def __init__(self, names, code, nth=0):
        self.names, self.code, self.nth, self.writes, self.failures = names, code, nth, 0, 0
        self._replace = os.replace

    def replace(self, source, target, **options):
        if Path(target).name in self.names:
            self.writes += 1
            if self.writes == self.nth or (not self.nth and self.writes % 2):
                self.failures += 1
                raise OSError(self.code, os.strerror(self.code))
        self._replace(source, target, **options)


@pytest.fixture
def stopped_improvement(project, play, command, monkeypatch):
    """Return the folder of an improvement that a full disk ended after it had paid for runs."""
    play(Model())
    monkeypatch.setattr(os, "replace", Disk({"improvement.json"}, errno.ENOSPC, 3).replace)
    assert command("improve", "greeter", "--tasks", write_tasks(project, 8), *LIMIT)[0] == 2
    (folder,) = (project / ".workflow" / "skill-improvements").glob("*-greeter")
    return folder


def check_applied(out, err, command):
    """Check that an improvement was applied and paid for once, and roll it back."""
    state = json.loads(out)
    text = Path("greeter", "SKILL.md").read_text()
    assert (state["stage"], text.count(RULE)) == ("applied", 1), (err, state["why"])
    ledger, _ = Ledger.peek(Path(state["folder"]))
    assert (ledger.spent, ledger.started) == (state["usd"], {})
    assert command("rollback", Path(state["run"]).name, "--all")[0] == 0


NAMES = [{"improvement.json"}, {"SKILL.md", "state.json", "report.md", "backup.json"}]


@pytest.mark.slow
@pytest.mark.parametrize("names", NAMES)
def test_full_disk_at_any_write_of_an_improvement_loses_nothing(project, play, command, monkeypatch, tmp_path, names):
    play(Model())
    arguments = ("improve", "greeter", "--tasks", write_tasks(project, 8), *LIMIT)
    for nth in range(1, 40):
        disk = Disk(names, errno.ENOSPC, nth)
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", disk.replace)
            status, out, err = command(*arguments)
        if status:
            assert "No space left" in err
            _, out, err = command(*arguments)
        check_applied(out, err, command)
        (project / ".workflow").rename(tmp_path / f"{nth}")
        if not disk.failures:
            return
    raise AssertionError("more writes than expected")


@pytest.mark.parametrize("names", NAMES)
def test_disk_error_that_passes_stops_no_improvement(project, play, command, monkeypatch, names):
    """Each write fails once, and is tried again at once."""
    play(Model())
    disk = Disk(names, errno.EIO)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", disk.replace)
        status, out, err = command("improve", "greeter", "--tasks", write_tasks(project, 8), *LIMIT)
    assert (status, disk.failures > 3) == (0, True), err
    check_applied(out, err, command)


def test_stopped_improvement_shows_payments_after_its_last_stage(stopped_improvement, command):
    spent = Ledger.peek(stopped_improvement)[0].spent
    assert spent > 0
    assert json.loads(command("status", stopped_improvement.name, "--format", "json")[1])["usd"] == spent
    assert f"({spent:.2f} USD paid)" in command("status")[2]


def test_status_does_not_count_reserved_money_as_paid(stopped_improvement, command):
    spent = Ledger.peek(stopped_improvement)[0].spent
    with Ledger.open(stopped_improvement) as ledger:
        ledger.record("began", Key("greet-0", 90, "before"), 5.0, folder=str(stopped_improvement / "gone"))
        ledger.record("asked", Key("greet-1", 90, "before"), 0.25)
        reserved = f"is running ({spent:.2f} USD paid and up to 5.25 USD reserved for runs in progress)"
        assert reserved in command("status")[2]
        assert reserved in command("run", "greeter", "--judge", "none")[2]
    code, out, err = command("status", stopped_improvement.name, "--format", "json")
    assert (code, json.loads(out)["usd"]) == (0, pytest.approx(spent))
    for message in (err, command("status")[2], command("report")[2]):
        assert f"was stopped ({spent:.2f} USD paid and up to 5.25 USD for runs that were cut off)" in message


def test_damaged_ledger_is_reported_with_the_known_amount(stopped_improvement, command):
    spent, file = Ledger.peek(stopped_improvement)[0].spent, stopped_improvement / "ledger.jsonl"
    file.write_bytes(file.read_bytes() + b"damaged\n")
    assert f"its ledger is damaged (at least {spent:.2f} USD paid)" in command("status")[2]
    code, _, err = command("resume", stopped_improvement.name)
    assert (code, "cannot be read; move the trial's folder elsewhere" in err) == (2, True)
    assert command("run", "greeter", "--judge", "none")[0] == 2  # The stopped improvement was paid for this text.
    file.write_bytes(b"[]")
    assert "its ledger is damaged" in command("status")[2]
    code, _, err = command("resume", stopped_improvement.name)
    assert (code, "is empty, so the cost is unknown" in err) == (2, True)
    assert "its ledger is damaged" in command("status")[2]


def test_damaged_state_or_plan_of_an_improvement_hides_no_payment(stopped_improvement, command):
    (stopped_improvement / "improvement.json").unlink()  # The file is a hard link to the last good state.
    (stopped_improvement / "improvement.json").write_bytes(b"\xff")
    assert json.loads(command("status", stopped_improvement.name, "--format", "json")[1])["usd"] > 0
    (stopped_improvement / "plan.json").write_text("{")
    assert f"improvement {stopped_improvement.name} was stopped" in command("status")[2]
    assert command("run", "greeter", "--judge", "none")[0] == 2
    code, _, err = command("improve", "greeter", "--tasks", "tasks.json", *LIMIT)
    assert (code, "plan.json cannot be read" in err, "USD were paid for it" in err) == (2, True, True)
    (stopped_improvement / "plan.json").unlink()
    (stopped_improvement / "plan.json").symlink_to("gone.json")
    assert f"improvement {stopped_improvement.name} was stopped" in command("status")[2]


@pytest.mark.parametrize("arguments", [("status",), ("report",), ("resume",), ("rollback", "--all")])
def test_damaged_trust_note_of_an_improvement_is_named(stopped_improvement, command, arguments):
    note = get_note_file(WORK_DIRS, stopped_improvement.resolve())
    note.write_text("{")
    code, _, err = command(arguments[0], stopped_improvement.name, *arguments[1:])
    assert (code, f"{stopped_improvement} cannot be used: " in err, f"({note})" in err) == (2, True, True)


def test_improvement_without_its_plan_is_still_found(stopped_improvement, command):
    (stopped_improvement / "plan.json").unlink()
    assert f"improvement {stopped_improvement.name} was stopped" in command("status")[2]
    assert command("run", "greeter", "--judge", "none")[0] == 2
    code, _, err = command("improve", "greeter", "--tasks", "tasks.json", *LIMIT)
    assert (code, "plan.json cannot be read" in err, "USD were paid for it" in err) == (2, True, True)
    assert f"`tune-skill resume {stopped_improvement.name} --give-up`" in err
    code, _, err = command("resume", stopped_improvement.name)
    assert (code, f"`tune-skill resume {stopped_improvement.name} --give-up`" in err) == (2, True)


@pytest.mark.parametrize("text", [None, "{"])
def test_given_up_improvement_without_plan_allows_a_new_one(stopped_improvement, command, text):
    (stopped_improvement / "plan.json").unlink()
    if text is not None:
        (stopped_improvement / "plan.json").write_text(text)
    assert command("resume", stopped_improvement.name, "--give-up")[0] == 1
    assert command("run", "greeter", "--judge", "none", "--quiet")[0] == 0
    code, out, _ = command("improve", "greeter", "--tasks", "tasks.json", *LIMIT)
    assert (code, json.loads(out)["id"] == stopped_improvement.name) == (0, False)


@pytest.fixture
def passed_improvement(project, play, command, monkeypatch):
    """Return the folder of an improvement that passed its exam, and was stopped before its run began."""
    play(Model())
    with monkeypatch.context() as patch:
        patch.setattr(StateStore, "create", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert command("improve", "greeter", "--tasks", write_tasks(project, 8), *LIMIT)[0] == 130
    (folder,) = (project / ".workflow" / "skill-improvements").glob("*-greeter")
    return folder


@pytest.mark.parametrize("text", [None, "", "{}", '{"skill": 5}'])
@pytest.mark.parametrize("name", ["plan.json", "ledger.jsonl"])
def test_passed_improvement_is_applied_without_plan_and_ledger(project, passed_improvement, command, name, text):
    (passed_improvement / name).unlink()
    if text is not None:
        (passed_improvement / name).write_text(text)
    assert f"improvement {passed_improvement.name} was stopped" in command("status")[2]
    code, _, err = command("run", "greeter", "--judge", "none")
    assert (code, f"`tune-skill resume {passed_improvement.name}`" in err) == (2, True)
    assert command("resume", passed_improvement.name, "--quiet")[0] == 0
    assert RULE in (project / "greeter" / "SKILL.md").read_text()


@pytest.mark.parametrize("text", [None, "", "[]\n"])
def test_improvement_with_a_damaged_ledger_can_be_given_up(stopped_improvement, command, text):
    (stopped_improvement / "ledger.jsonl").unlink()
    if text is not None:
        (stopped_improvement / "ledger.jsonl").write_text(text)
    assert command("resume", stopped_improvement.name, "--give-up")[0] == 1
    assert json.loads(command("status", stopped_improvement.name, "--format", "json")[1])["why"] == "you gave it up"
    assert command("run", "greeter", "--judge", "none", "--quiet")[0] == 0


@pytest.mark.parametrize("text", [None, "{"])
def test_improvement_without_state_continues_with_its_paid_runs(stopped_improvement, command, text):
    for file in stopped_improvement.glob("improvement.json*"):
        file.unlink()
    if text is not None:
        (stopped_improvement / "improvement.json").write_text(text)
    code, _, err = command("resume", stopped_improvement.name)
    assert (code, "repeat the `tune-skill improve` command" in err) == (2, True)
    assert ("remove improvement.json, and" in err) == (text is not None)
    (stopped_improvement / "improvement.json").unlink(missing_ok=True)
    code, out, _ = command("improve", "greeter", "--tasks", "tasks.json", *LIMIT)
    assert (code, json.loads(out)["id"]) == (0, stopped_improvement.name)


def test_rollback_of_an_improvement_that_applied_nothing_says_so(passed_improvement, command):
    code, _, err = command("rollback", passed_improvement.name, "--all")
    assert (code, f"{passed_improvement.name} has applied nothing, so there is nothing to undo" in err) == (2, True)
