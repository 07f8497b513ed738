"""Test that a ledger of paid runs is read back, and that a changed line is detected."""

import fcntl
import os
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from orchestrator.cli.input.finished import find_result
from orchestrator.errors import BadInput, Busy, StateDamaged
from orchestrator.fs.durable import closing
from orchestrator.tuning.trial.folders import PLAN, SESSIONS, create_folder
from orchestrator.tuning.trial.ledger import FILE, Key, Ledger

KEY = Key("greet", 1, "before")


@pytest.fixture
def folder(tmp_path):
    with Ledger.open(tmp_path) as ledger:
        ledger.record("began", KEY, 0.5, folder="/tmp/x")
        ledger.record("held", KEY, 0.25, folder="/tmp/x", found={"called": "a \ud83d\ude00 \udc80 b", "why": ""})
        ledger.record("graded", KEY, 0.1)
    return tmp_path


def test_ledger_reads_what_it_recorded(folder):
    with Ledger.open(folder) as ledger:
        assert round(ledger.spent, 6) == 0.35
        assert ledger.finished[KEY]["found"]["why"] == ""


def test_cost_of_a_run_that_was_cut_off_is_not_called_spent(folder):
    with Ledger.open(folder) as ledger:
        assert ledger.describe_cost() == "0.35 USD spent"
        ledger.record("began", Key("greet", 2, "before"), 1.0, folder="/tmp/x")
    with Ledger.open(folder) as ledger:
        assert ledger.describe_cost() == "0.35 USD spent, 1.00 USD reserved for what was cut off"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"usd":0.25', '"usd":NaN'),
        ('"usd":0.25', '"usd":-1000000000.0'),
        ('"usd":0.25', '"usd":0.01'),
        ('"why":""', '"why":[]'),
        ('"found":{', '"gone":{'),
        ('"greet"', '"greed"'),
    ],
)
def test_changed_line_of_a_ledger_is_damage(folder, old, new):
    file = folder / FILE
    lines = file.read_text().splitlines(keepends=True)
    assert old in lines[1]
    file.write_text(lines[0] + lines[1].replace(old, new) + lines[2])
    with (
        pytest.raises(StateDamaged, match=r"line 2 cannot be read; move the trial's folder elsewhere"),
        Ledger.open(folder),
    ):
        pass


@pytest.mark.parametrize("usd", ["NaN", "Infinity", "-1", '"x"', "null"])
def test_cost_without_a_digest_is_an_amount_of_money(tmp_path, usd):
    """The ledgers of earlier versions have lines without a digest."""
    (tmp_path / FILE).write_text(f'{{"event":"began","run":["a",1,"b"],"usd":{usd},"folder":"/tmp/x"}}\n')
    with pytest.raises(StateDamaged), Ledger.open(tmp_path):
        pass
    (tmp_path / FILE).write_text('{"event":"began","run":["a",1,"b"],"usd":1,"folder":"/tmp/x"}\n')
    with Ledger.open(tmp_path) as ledger:
        assert ledger.spent == 1


def test_line_without_a_digest_that_misleads_its_reader_is_damage(tmp_path):
    line = '{"event":"held","run":["a",1,"b"],"usd":1,"folder":"/tmp/x","found":5}\n'
    (tmp_path / FILE).write_text(line)
    with pytest.raises(StateDamaged, match="from an earlier version"), Ledger.open(tmp_path) as ledger:
        ledger.finished[Key("a", 1, "b")]["found"]["called"]


def test_ledger_that_another_command_holds_for_a_moment_opens(folder):
    with ThreadPoolExecutor() as pool, closing(os.open(folder / FILE, os.O_RDWR)) as fd:
        fcntl.flock(fd, fcntl.LOCK_EX)
        release = pool.submit(lambda: (time.sleep(0.2), fcntl.flock(fd, fcntl.LOCK_UN)))
        with Ledger.open(folder) as ledger:
            assert ledger.finished
        release.result()


def test_ledger_that_another_command_locks_is_busy(folder):
    with (
        Ledger.open(folder),
        pytest.raises(Busy, match="another process is using it"),
        Ledger.open(folder, patience=0.1),
    ):
        pass


def test_ledger_without_the_line_of_a_transcript_is_damaged(folder):
    (folder / "sessions").mkdir()
    (folder / "sessions" / "greet.1.before.jsonl").write_text("{}\n")
    with Ledger.open(folder):
        pass
    file = folder / FILE
    for data in (b"", file.read_bytes().splitlines(keepends=True)[0]):
        file.write_bytes(data)
        with pytest.raises(StateDamaged, match=r"greet\.1\.before has a transcript, but no cost"), Ledger.open(folder):
            pass


def test_missing_ledger_next_to_a_plan_is_damage(folder):
    (folder / "plan.json").write_text("{}")
    (folder / FILE).unlink()
    with pytest.raises(StateDamaged, match="is missing, so the cost is unknown"), Ledger.open(folder):
        pass
    assert not (folder / FILE).exists()


def test_ledger_with_less_than_was_spent_is_damaged(folder):
    with Ledger.open(folder) as ledger:
        ledger.ensure_spent(0.35)
        with pytest.raises(StateDamaged, match=r"it has 0\.35 USD of 2\.00 USD spent"):
            ledger.ensure_spent(2.0)


def test_peek_reads_the_costs_of_the_undamaged_lines(folder):
    file = folder / FILE
    file.write_bytes(file.read_bytes() + b"\x00\xff\n[1]\n")
    ledger, _ = Ledger.peek(folder)
    assert (round(ledger.spent, 6), ledger.is_damaged) == (0.35, True)


@pytest.mark.parametrize("text", [None, "{", "[]"])
def test_paid_trial_without_its_plan_is_named(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    skill, now = tmp_path / "greeter", datetime(2026, 11, 28, tzinfo=UTC)
    skill.mkdir()
    folder = create_folder(skill, now, {"key": "a"})
    (folder / SESSIONS).mkdir()
    with Ledger.open(folder) as ledger:
        ledger.record("began", KEY, 0.5, folder="/tmp/x")
    (folder / PLAN).unlink()
    if text is not None:
        (folder / PLAN).write_text(text)
    with pytest.raises(BadInput, match=rf"plan\.json is missing or damaged.* move {folder} elsewhere"):
        find_result(folder.name)
    with pytest.raises(StateDamaged, match=r"plan\.json cannot be read, and 0\.50 USD were paid for it"):
        create_folder(skill, now, {"key": "a"})


def test_paid_trial_with_a_damaged_plan_is_not_started_anew(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    skill, now = tmp_path / "greeter", datetime(2026, 11, 28, tzinfo=UTC)
    skill.mkdir()
    folder = create_folder(skill, now, {"key": "a"})
    (folder / PLAN).write_text("{")
    other_folder = create_folder(skill, now, {"key": "a"})  # Nothing was paid yet.
    with Ledger.open(folder) as ledger:
        ledger.record("began", KEY, 0.5, folder="/tmp/x")
    with pytest.raises(StateDamaged, match=r"plan\.json cannot be read, and 0\.50 USD were paid for it"):
        create_folder(skill, now, {"key": "a"})
    assert set(folder.parent.glob("*/")) == {folder, other_folder}
    (folder / FILE).write_bytes(b"")
    (folder / PLAN).write_text("{}")
    assert Ledger.peek(folder)[0].is_damaged
    with pytest.raises(StateDamaged, match="is empty, so the cost is unknown"), Ledger.open(folder):
        pass
