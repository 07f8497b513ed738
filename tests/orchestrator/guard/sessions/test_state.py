"""Test loading and saving the state of sessions and projects."""

import errno
import fcntl
import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.guard.sessions.state import (
    SessionState,
    get_agent_state_path,
    get_session_state_path,
    hold_lock,
    read_json_safely,
    write_json_safely,
)

ROOT = Path(__file__).parents[4]


def test_load_returns_what_save_wrote(project):
    state = SessionState("abc", auto_mode=True, pending_todos=["one"], total_drive_duration=2.5)
    assert state.save()
    assert SessionState.load("abc") == state
    assert get_session_state_path("abc") == project / ".maceff" / "sessions" / "abc" / "session_state.json"
    assert (project / ".maceff").stat().st_mode & 0o777 == 0o700
    assert get_session_state_path("abc").stat().st_mode & 0o777 == 0o600


def test_change_is_saved_on_a_disk_without_locks(project, monkeypatch):
    def refuse(fd, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with hold_lock(get_session_state_path("abc")):
        assert SessionState("abc", auto_mode=True).save()
    assert SessionState.load("abc").auto_mode


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "\x00", '{"drive_count": "3", "auto_mode": 1, "x": 1}'])
def test_load_returns_a_fresh_state_for_a_damaged_file(project, text):
    path = get_session_state_path("abc")
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert SessionState.load("abc") == SessionState("abc")


def test_unknown_field_is_refused():
    with pytest.raises(TypeError, match="drives"):
        SessionState("abc", drives=1)
    with pytest.raises(AttributeError, match="drives"):
        SessionState("abc").drives = 1


def test_load_ignores_another_id_and_invalid_todos(project):
    write_json_safely(
        get_session_state_path("abc"), {"session_id": "../x", "pending_todos": ["a", 5, None], "drive_count": 2}
    )
    state = SessionState.load("abc")
    assert (state.session_id, state.pending_todos, state.drive_count) == ("abc", ["a"], 2)


def test_hostile_session_id_stays_in_the_folder(project):
    for id in ("../../escape", "/etc/passwd", "a/b", "", "x" * 500, ".."):
        assert get_session_state_path(id).parent == project / ".maceff" / "sessions" / "unknown"


def test_save_returns_false_on_failure(project):
    (project / ".maceff").write_text("a file in the way")
    assert SessionState("abc").save() is False
    assert write_json_safely(project / "x.json", {"a": float("nan")}) is False
    assert write_json_safely(project / "x.json", {"a": object()}) is False
    assert read_json_safely(project / ".maceff") == {}


def test_project_state_is_beside_the_log(project):
    assert get_agent_state_path() == project / ".maceff" / "agent_state.json"


COUNTING_PROGRAM = """
import os, sys
from pathlib import Path
from orchestrator.guard.sessions.state import SessionState
root = Path(sys.argv[1])
children = []
for _ in range(8):
    child = os.fork()
    if not child:
        for _ in range(25):
            with SessionState.edit("abc", root) as state:
                state.drive_count += 1
        os._exit(0)
    children.append(child)
sys.exit(any(os.waitpid(child, 0)[1] for child in children))
"""


def test_simultaneous_changes_are_all_kept(project):
    subprocess.run([sys.executable, "-c", COUNTING_PROGRAM, str(project)], cwd=ROOT, check=True, timeout=60)
    assert SessionState.load("abc").drive_count == 200
    assert json.loads(get_session_state_path("abc").read_text())["drive_count"] == 200
