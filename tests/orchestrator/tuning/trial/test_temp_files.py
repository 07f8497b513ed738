"""Test that temporary files of killed writers are removed in the folders of trials, and no other files."""

import os
from datetime import datetime
from pathlib import Path

import pytest

from orchestrator.fs.durable import build_temp_name
from orchestrator.tuning.trial.folders import FOLDER, create_folder
from orchestrator.tuning.trial.ledger import Ledger
from orchestrator.tuning.trigger.writing import DescriptionChange, write_description

NOW = datetime(2026, 11, 29, 8, 0)
FOLDERS = ("", "sessions", "sessions/greet.1.after/subagents")


def leave_temp_file(folder: Path, name: str, *, age: float = 0.0) -> Path:
    """Leave a temporary file as a kill does, `age` seconds ago."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / build_temp_name(name)
    file.write_text("half")
    seconds = file.stat().st_mtime - age
    os.utime(file, (seconds, seconds))
    return file


@pytest.mark.parametrize("part", FOLDERS)
@pytest.mark.parametrize("name", ["plan.json", "opened.json", "SKILL.md.before"])
def test_ledger_removes_temp_files_in_its_folders(tmp_path, part, name):
    temp_file, other_file = leave_temp_file(tmp_path / part, name), tmp_path / part / ".tune-skill-notes.tmp"
    other_file.write_text("mine")
    with Ledger.open(tmp_path):
        assert not temp_file.exists()
    assert other_file.read_text() == "mine"


@pytest.mark.parametrize(
    "part", [f"{FOLDER}/20261129-070000-greeter/{part}" for part in FOLDERS] + [FOLDER, ".workflow"]
)
def test_new_trial_removes_old_temp_files_of_earlier_ones(project, part):
    old, new = (leave_temp_file(project / part, ".gitignore", age=age) for age in (61.0, 1.0))
    create_folder(project / "greeter", NOW, {"key": "x"})
    assert (old.exists(), new.exists()) == (False, True)  # The writer of the new file may still be running.


def test_written_description_removes_temp_files_of_killed_writers(tmp_path):
    skill = tmp_path / "greeter" / "SKILL.md"
    temp_file, other_file = leave_temp_file(skill.parent, "SKILL.md"), leave_temp_file(skill.parent, "notes.md")
    skill.write_bytes(b"old")
    write_description(DescriptionChange(skill, b"old", b"new"), tmp_path)
    assert (skill.read_bytes(), temp_file.exists(), other_file.exists()) == (b"new", False, True)
