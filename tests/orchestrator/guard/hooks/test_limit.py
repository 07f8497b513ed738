"""Test that the time of a hook is limited, whatever files it reads."""

import fcntl
import json
import os
import threading

import pytest

from orchestrator.guard.hooks import limit
from orchestrator.guard.hooks.dispatch import dispatch
from orchestrator.guard.hooks.hook import allow, hook
from orchestrator.guard.hooks.logging import read_recent_lines
from orchestrator.guard.sessions.state import get_session_state_path
from tests.orchestrator.guard.hooks.samples import SESSION, make_stdin


@pytest.fixture
def without_strict_mode(monkeypatch):
    monkeypatch.delenv("TUNE_SKILL_STRICT")


def read_log_lines():
    return [line.partition(" ")[2] for _, line in read_recent_lines(10)]


@pytest.mark.parametrize("swallow", [Exception, OSError, ValueError])
def test_hook_that_never_ends_is_stopped_and_logged(project, without_strict_mode, monkeypatch, swallow):
    monkeypatch.setattr(limit, "CPU_SECONDS", 0.1)

    @hook("Stop")
    def run_forever(call):
        while True:
            try:
                json.loads("[]")
            except swallow:
                continue

    assert run_forever("{}", testing=False) == allow()
    assert read_log_lines() == ["Stop: TimeoutError: time limit exceeded"]


def test_hook_does_not_wait_forever_for_a_lock(project, without_strict_mode, monkeypatch):
    monkeypatch.setattr(limit, "WALL_SECONDS", 0.2)
    lock = get_session_state_path(SESSION, project).with_suffix(".lock")
    lock.parent.mkdir(parents=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert dispatch("SessionStart", make_stdin("SessionStart"), testing=False) == allow()
    assert read_log_lines() == ["SessionStart: TimeoutError: time limit exceeded"]


def test_suspended_limit_does_not_interrupt(project, monkeypatch):
    monkeypatch.setattr(limit, "CPU_SECONDS", 0.1)
    with limit.time_limit():
        with limit.without_limit():
            end = os.times().user + 0.3
            while os.times().user < end:
                pass
        with pytest.raises(limit.TimeLimitReached):
            while True:
                pass


def test_time_limit_needs_the_main_thread_and_does_not_nest(project, monkeypatch):
    monkeypatch.setattr(limit, "CPU_SECONDS", 60.0)
    errors = []

    def limit_in_thread():
        with limit.time_limit():
            errors.append(True)

    with limit.time_limit(), limit.time_limit():
        thread = threading.Thread(target=limit_in_thread)
        thread.start()
        thread.join()
    assert errors == [True]


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PreCompact", "Stop"])
@pytest.mark.parametrize("kind", ["sparse", "line", "pipe", "device", "folder"])
def test_hook_survives_any_file_in_place_of_a_transcript(project, without_strict_mode, tmp_path, event, kind):
    path = tmp_path / "session.jsonl"
    if kind == "sparse":
        with path.open("wb") as file:
            file.truncate(10_000_000_000)
    elif kind == "line":
        path.write_bytes(b'{"a":"' + b"x" * 60_000_000 + b'"}\n')
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    hook_input = {**json.loads(make_stdin(event)), "transcript_path": str(path)}
    assert dispatch(event, json.dumps(hook_input), testing=False)["continue"] is True
    is_logged = kind in ("pipe", "device", "folder") and event != "Stop"  # Without power steering, Stop reads no files.
    assert int(is_logged) <= len(read_log_lines()) <= 1
