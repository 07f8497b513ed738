"""Test the saved steering state: valid after any kill, reset if damaged, and never the cause of an endless block."""

import itertools
import json
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from orchestrator.errors import WriteFailed
from orchestrator.fs import durable
from orchestrator.guard.steering import settings
from orchestrator.guard.steering.diagnostics import DiagnosticLog, find_loops
from orchestrator.guard.steering.results import ReturnCode
from orchestrator.guard.steering.state import PowerSteeringState, _list_delays, validate

ROOT = Path(__file__).parents[4]


@pytest.fixture
def state(tmp_path):
    return PowerSteeringState("s1", tmp_path)


@pytest.fixture
def short_retries(monkeypatch):
    monkeypatch.setattr(settings, "RETRY_DELAYS", [0.0, 0.0, 0.0])


def list_log_entries(state, operation):
    return [entry for entry in state.diagnostics.entries() if entry["operation"] == operation]


def test_load_returns_what_save_wrote_with_defaults(state, tmp_path):
    assert state.save_state({"consecutive_blocks": 5}) is ReturnCode.SUCCESS
    assert state.load_state() == {**state.default(), "consecutive_blocks": 5}
    assert state.path == tmp_path / ".claude/runtime/power-steering/s1/state.json"
    assert json.loads(state.path.read_text())["session_id"] == "s1"
    assert (tmp_path / ".claude/runtime/power-steering/.gitignore").read_text() == "*\n"


def test_return_codes_are_the_documented_ones():
    assert [int(code) for code in ReturnCode] == [0, 1, 2, 3, 4]


def test_sessions_have_separate_states(tmp_path):
    first_state, second_state = PowerSteeringState("one", tmp_path), PowerSteeringState("two", tmp_path)
    first_state.save_state({"consecutive_blocks": 5})
    second_state.save_state({"consecutive_blocks": 10})
    assert first_state.load_state()["consecutive_blocks"] == 5
    assert second_state.load_state()["consecutive_blocks"] == 10


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([], "state_not_dict"),
        ({}, "missing_counter"),
        ({"consecutive_blocks": "1"}, "counter_not_int"),
        ({"consecutive_blocks": True}, "counter_not_int"),
        ({"consecutive_blocks": 1.0}, "counter_not_int"),
        ({"consecutive_blocks": -1}, "negative_counter"),
        ({"consecutive_blocks": 1001}, "counter_too_large"),
        ({"consecutive_blocks": 1}, "invalid_session_id"),
        ({"consecutive_blocks": 1, "session_id": "../x"}, "invalid_session_id"),
        ({"consecutive_blocks": 1, "session_id": "x" * 129}, "invalid_session_id"),
        ({"consecutive_blocks": 1, "session_id": 7}, "invalid_session_id"),
        ({"consecutive_blocks": 1000, "session_id": "a_B-9"}, ""),
    ],
)
def test_validate_returns_the_documented_reasons(value, reason):
    assert validate(value) == (not reason, reason)


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"consecutive_blocks": -1}', "[" * 100_000, "\x00"])
def test_load_resets_a_damaged_state_and_logs_it(state, damage, caplog):
    state.save_state({"consecutive_blocks": 3})
    state.path.write_text(damage)
    with caplog.at_level(logging.WARNING, "amplihack.power_steering"):
        assert state.load_state() == state.default()
    assert "was reset" in caplog.text
    assert list_log_entries(state, "state_reset")[-1]["counter_reset_to"] == 0


def test_save_resets_an_invalid_state(state):
    assert state.save_state({"consecutive_blocks": -3}) is ReturnCode.VALIDATION_FAILED
    assert state.load_state()["consecutive_blocks"] == 0
    assert state.save_state("all") is ReturnCode.VALIDATION_FAILED
    assert list_log_entries(state, "validation")[-1]["reason"] in ("state_not_dict", "negative_counter")


@pytest.mark.parametrize("id", ["../../etc", "a/b", "", "x" * 200, "nul\0l", "\udc80"])
def test_invalid_id_is_replaced(tmp_path, id):
    state = PowerSteeringState(id, tmp_path)
    assert state.folder.parent == tmp_path / ".claude/runtime/power-steering"
    assert state.save_state({"consecutive_blocks": 2}) is ReturnCode.SUCCESS
    assert state.load_state()["consecutive_blocks"] == 2


def test_save_retries_a_failed_write(state, short_retries, monkeypatch):
    write, fails = durable.write_json, iter([True, True, False])

    def write_or_fail(*args, **kwargs):
        if next(fails):
            raise WriteFailed("the disk is full")
        write(*args, **kwargs)

    state.save_state({})
    monkeypatch.setattr("orchestrator.guard.steering.state.durable.write_json", write_or_fail)
    assert state.save_state({"consecutive_blocks": 4}) is ReturnCode.SUCCESS
    assert [entry["retry_count"] for entry in list_log_entries(state, "state_save_retry")] == [1, 2]
    assert state.load_state()["consecutive_blocks"] == 4


def test_save_warns_and_keeps_the_old_state_on_failure(state, short_retries, monkeypatch, caplog):
    state.save_state({"consecutive_blocks": 1})

    def raise_write_failed(*args, **kwargs):
        raise WriteFailed("the disk is full")

    monkeypatch.setattr("orchestrator.guard.steering.state.durable.write_json", raise_write_failed)
    assert state.save_state({"consecutive_blocks": 2}) is ReturnCode.RETRIES_EXHAUSTED
    assert "continuing without it" in caplog.text
    assert state.load_state()["consecutive_blocks"] == 1
    monkeypatch.setattr(settings, "RETRY_DELAYS", [])
    assert state.save_state({"consecutive_blocks": 2}) is ReturnCode.SAVE_FAILED


def test_save_detects_a_wrong_read_back(state, monkeypatch):
    state.save_state({})
    monkeypatch.setattr(settings, "RETRY_DELAYS", [])
    monkeypatch.setattr("orchestrator.guard.steering.state.durable.write_json", lambda *a, **k: None)
    assert state.save_state({"consecutive_blocks": 2}) is ReturnCode.VERIFICATION_FAILED
    monkeypatch.setattr(settings, "VERIFY_WRITES", False)
    assert state.save_state({"consecutive_blocks": 2}) is ReturnCode.SUCCESS


def test_environment_sets_retries_and_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("AMPLIHACK_PS_MAX_RETRIES", "5")
    assert _list_delays() == [0.1, 0.2, 0.4, 0.8, 1.6]
    monkeypatch.setenv("AMPLIHACK_PS_MAX_RETRIES", "1")
    assert _list_delays() == [0.1]
    monkeypatch.setenv("AMPLIHACK_PS_STATE_DIR", str(tmp_path / "own"))
    assert PowerSteeringState("s1").path == tmp_path / "own" / "s1" / "state.json"


def test_unwritable_folder_lets_the_session_stop(tmp_path, monkeypatch, short_retries):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AMPLIHACK_PS_STATE_DIR", str(tmp_path / "file"))
    state = PowerSteeringState("s1")
    assert state.save_state({"consecutive_blocks": 1}) is ReturnCode.RETRIES_EXHAUSTED
    assert state.load_state() == state.default()


KILLED_WRITERS = """
import os, signal, sys, time
from contextlib import suppress
from pathlib import Path
from orchestrator.guard.steering.state import PowerSteeringState
os.fsync = os.fstat
state = PowerSteeringState("s1", Path(sys.argv[1]))
state.save_state({"consecutive_blocks": 0})
last = 0
for n in range(200):
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            for counter in range(last + 1, 1000):
                state.save_state({"consecutive_blocks": counter})
        os._exit(0)
    time.sleep(0.0005 * (n % 12))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print(state.path.read_text().replace("\\n", ""))
    last = min(state.load_state()["consecutive_blocks"], 900)
"""
"""A separate program, because a fork of the test process takes a hundred times as long."""


def test_state_survives_kills_and_never_gets_older(tmp_path):
    command = [sys.executable, "-c", KILLED_WRITERS, str(tmp_path)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    saved_states = [json.loads(line) for line in result.stdout.splitlines()]
    assert [validate(saved_state) for saved_state in saved_states] == [(True, "")] * 200
    counters = [saved_state["consecutive_blocks"] for saved_state in saved_states]
    assert all(after >= min(before, 900) for before, after in itertools.pairwise(counters))
    assert counters[-1] > 0


def test_reader_sees_the_old_or_the_new_state(state):
    state.save_state({"consecutive_blocks": 1})
    has_ended = threading.Event()

    def write():
        for counter in range(2, 60):
            state.save_state({"consecutive_blocks": counter})
        has_ended.set()

    writer = threading.Thread(target=write)
    writer.start()
    states = []
    while not has_ended.is_set():
        states.append(state.load_state()["consecutive_blocks"])
    writer.join()
    assert states == sorted(states)
    assert min(states) >= 1


def test_diagnostic_log_is_rotated_and_five_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("orchestrator.guard.steering.diagnostics.MAX_BYTES", 500)
    log = DiagnosticLog(tmp_path / "diagnostic.jsonl")
    for n in range(60):
        log.write("state_save", n=n, odd={1, 2})
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "diagnostic.jsonl", *(f"diagnostic.jsonl.{n}" for n in range(1, 6))
    ]  # fmt: skip
    assert list(log.entries())[-1]["n"] == 59


def test_diagnostic_log_can_have_its_own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "DIAGNOSTIC_LOG_DIR", str(tmp_path / "logs"))
    PowerSteeringState("s1", tmp_path).save_state({})
    assert (tmp_path / "logs" / "s1" / "diagnostic.jsonl").exists()


def make_save_entries(*counters, ok=True):
    return [{"operation": "state_save", "save_success": ok, "counter_after": counter} for counter in counters]


@pytest.mark.parametrize(
    ("loops", "log"),
    [
        ((), make_save_entries(*range(12))),
        (("stall",), make_save_entries(*[3] * 10)),
        ((), make_save_entries(*[3] * 9)),
        ((), make_save_entries(*[0] * 12)),
        (("oscillation",), make_save_entries(1, 2, 1, 2)),
        ((), make_save_entries(1, 0, 1, 0)),
        ((), make_save_entries(1, 1, 1, 1)),
        (("failure_rate",), [*make_save_entries(1, 2, 3), *make_save_entries(4, 5, ok=False)]),
        ((), []),
    ],
)
def test_find_loops_sees_stall_oscillation_and_failures(loops, log):
    assert find_loops(log) == loops


def test_save_syncs_unless_the_environment_says_no(state, monkeypatch):
    synced_files = []
    original_fsync = os.fsync
    monkeypatch.setattr("orchestrator.fs.durable.os.fsync", lambda fd: (synced_files.append(fd), original_fsync(fd))[1])
    state.save_state({"consecutive_blocks": 1})
    assert synced_files
    synced_files.clear()
    monkeypatch.setenv("AMPLIHACK_PS_NO_FSYNC", "1")
    assert state.save_state({"consecutive_blocks": 2}) is ReturnCode.SUCCESS
    assert not synced_files
    assert state.load_state()["consecutive_blocks"] == 2


def test_damaged_state_is_logged_unchanged(state):
    state.save_state({})
    for damaged_value in ({"consecutive_blocks": -1, "session_id": "s1"}, [1]):
        state.path.write_text(json.dumps(damaged_value))
        state.load_state()
        assert list_log_entries(state, "validation")[-1]["corrupted_state"] == damaged_value
    state.path.write_text(json.dumps({"consecutive_blocks": -1, "more": "x" * 9_000}))
    state.load_state()
    assert len(list_log_entries(state, "validation")[-1]["corrupted_state"]) == 2_000


def test_debug_logs_each_step_to_stderr(tmp_path, monkeypatch, capsys):
    PowerSteeringState("s1", tmp_path).save_state({})
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("AMPLIHACK_PS_DEBUG", "1")
    logger = logging.getLogger("amplihack.power_steering")
    before, level = list(logger.handlers), logger.level
    PowerSteeringState("s1", tmp_path).save_state({})
    assert capsys.readouterr().err.count("state_save") == 1
    PowerSteeringState("s1", tmp_path).save_state({})
    assert capsys.readouterr().err.count("state_save") == 1
    logger.handlers, logger.level = before, level


@pytest.mark.parametrize(("configured", "attempts"), [("0", 1), ("2", 3), ("", 4)])
def test_settings_alone_set_the_number_of_attempts(state, monkeypatch, short_retries, configured, attempts):
    monkeypatch.setenv("AMPLIHACK_PS_MAX_RETRIES", configured)
    synced_files = []

    def raise_disk_error(fd):
        synced_files.append(fd)
        raise OSError(5, "the disk is gone")

    monkeypatch.setattr("orchestrator.fs.durable.os.fsync", raise_disk_error)
    monkeypatch.setattr("orchestrator.fs.durable.time.sleep", lambda seconds: pytest.fail("unexpected pause"))
    monkeypatch.setattr("orchestrator.guard.steering.state.time.sleep", lambda seconds: None)
    assert state.save_state({"consecutive_blocks": 1}) is not ReturnCode.SUCCESS
    assert len(synced_files) == attempts


def test_retry_logs_its_success(state, monkeypatch, short_retries):
    state.save_state({})
    original_fsync, failures = os.fsync, [1, 1]

    def sync_or_fail(fd):
        if failures:
            failures.pop()
            raise OSError(5, "the disk is busy")
        original_fsync(fd)

    monkeypatch.setattr("orchestrator.fs.durable.os.fsync", sync_or_fail)
    assert state.save_state({"consecutive_blocks": 1}) is ReturnCode.SUCCESS
    retries = [(entry["success"], entry["retry_count"]) for entry in list_log_entries(state, "state_save_retry")]
    assert retries[-1] == (True, len(retries))


def create_worktree(tmp_path, path_back=None):
    """Create a main tree and its worktree as git does; `path_back` is the path in the main tree's entry for the worktree."""
    main, tree = tmp_path / "main", tmp_path / "tree"
    folder = main / ".git" / "worktrees" / "tree"
    folder.mkdir(parents=True)
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {folder}\n")
    (folder / "gitdir").write_text(f"{path_back or tree / '.git'}\n")
    (folder / "commondir").write_text("../..\n")
    return main, tree


def test_worktrees_share_the_state_of_the_main_tree(tmp_path):
    main, tree = create_worktree(tmp_path)
    PowerSteeringState("s1", tree).save_state({"consecutive_blocks": 3})
    assert PowerSteeringState("s1", main).load_state()["consecutive_blocks"] == 3
    assert not (tree / ".claude").exists()


def test_one_sided_worktree_link_is_ignored(tmp_path):
    main, tree = create_worktree(tmp_path, path_back=tmp_path / "another" / ".git")
    PowerSteeringState("s1", tree).save_state({"consecutive_blocks": 3})
    assert PowerSteeringState("s1", main).load_state()["consecutive_blocks"] == 0
    assert (tree / ".claude").exists()


def test_without_fsync_the_first_save_of_a_project_syncs_nothing(tmp_path, monkeypatch):
    synced_files = []
    monkeypatch.setattr("os.fsync", synced_files.append)
    monkeypatch.setenv("AMPLIHACK_PS_NO_FSYNC", "1")
    assert PowerSteeringState("s1", tmp_path).save_state({}) is ReturnCode.SUCCESS
    assert synced_files == []


def test_first_save_that_fails_leaves_its_log(tmp_path, monkeypatch):
    def fail(*args, **kwargs):
        raise WriteFailed("no space left on the device")

    monkeypatch.setattr("orchestrator.fs.durable.write_bytes", fail)
    monkeypatch.setenv("AMPLIHACK_PS_MAX_RETRIES", "0")
    state = PowerSteeringState("s1", tmp_path)
    assert state.save_state({}) is not ReturnCode.SUCCESS
    (entry,) = list_log_entries(state, "state_save")
    assert (entry["save_success"], entry["error"]) == (False, "no space left on the device")
