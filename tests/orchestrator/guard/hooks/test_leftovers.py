"""Test that hooks remove the temporary files of killed hooks in tune-skill's folders of a project, and nothing else."""

import os

import pytest

from orchestrator.fs.durable import build_temp_name
from orchestrator.guard.sessions.state import SessionState

RUNTIME = ".claude/runtime/power-steering"


def leave_temp_file(folder, age=61.0):
    """Leave a temporary file as a kill does, `age` seconds ago."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / build_temp_name("any.json")
    file.write_text("half")
    seconds = file.stat().st_mtime - age
    os.utime(file, (seconds, seconds))
    return file


@pytest.mark.parametrize(
    "folder_name", [".maceff", ".maceff/agents", ".maceff/sessions/earlier", RUNTIME, f"{RUNTIME}/earlier"]
)
def test_session_start_removes_old_temp_files(project, call, folder_name):
    old, new = leave_temp_file(project / folder_name), leave_temp_file(project / folder_name, age=1.0)
    (file_of_user := project / folder_name / ".tune-skill-notes.tmp").write_text("mine")
    os.utime(file_of_user, (0, 0))
    call("SessionStart", source="startup")
    assert (old.exists(), new.exists()) == (False, True)  # The writer of the new file may still be running.
    assert file_of_user.read_text() == "mine"


def test_session_start_keeps_temp_files_behind_a_link(project, call, tmp_path_factory):
    outside = leave_temp_file(tmp_path_factory.mktemp("outside"))
    (project / ".maceff" / "sessions").mkdir(parents=True)
    (project / ".maceff" / "sessions" / "earlier").symlink_to(outside.parent)
    call("SessionStart", source="startup")
    assert outside.exists()


def test_saving_a_session_removes_old_temp_files_beside_it(project):
    temp_file = leave_temp_file(project / ".maceff" / "sessions" / "abc")
    assert SessionState("abc").save()
    assert not temp_file.exists()
