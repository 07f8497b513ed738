"""Test what `status`, `resume` and `run` say about a run that was killed before its first save, or whose folder is gone."""

import shutil
import signal
import subprocess
import sys

import pytest

from tests.fakes import write_skill

KILLED_COMMAND = """
import os, signal, sys
from orchestrator.cli import main
from orchestrator.run.store import StateStore
StateStore.create = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
main(sys.argv[1:])
"""


@pytest.fixture
def kill(project):
    """Return a function that runs the command and kills it with SIGKILL just before its first save."""

    def run_and_kill(*arguments: str) -> None:
        result = subprocess.run([sys.executable, "-c", KILLED_COMMAND, *arguments], check=False, capture_output=True)
        assert result.returncode == -signal.SIGKILL, result.stderr

    return run_and_kill


@pytest.mark.slow
def test_run_killed_before_its_first_save_is_named(tune, kill, project):
    kill("run", "plover", "--judge", "none", "--apply", "all")
    for command in ("status", "resume", "report"):
        result = tune(command)
        assert result.code == 2
        assert (
            "was stopped before its first save and changed nothing; start it again with `tune-skill run /" in result.err
        )
    assert tune("run", "plover", "--apply", "all").code == 0
    assert "first save" not in (result := tune("status")).err + result.out


@pytest.mark.slow
def test_earlier_run_is_not_taken_for_the_killed_one(tune, kill, project):
    assert tune("run", "plover", "--apply", "none").code == 0
    kill("run", "plover", "--judge", "none", "--apply", "all")
    for command in ("status", "resume"):
        result = tune(command)
        assert result.code == 0
        assert "was stopped before its first save" in " ".join(result.err.split())
        assert "This is an earlier run." in " ".join(result.err.split())


def test_lost_folder_of_the_newest_run_is_named(tune, project, work_dirs):
    assert tune("run", "plover", "--apply", "all").code == 0
    (work,) = work_dirs()
    shutil.rmtree(project / ".workflow")
    result = tune("status")
    assert result.code == 2
    assert f"the folder of run {work.name} is gone ({work})" in result.err
    assert "neither resumed nor rolled back" in result.err


def test_run_of_another_project_is_not_named(tune, project, work_dirs, monkeypatch):
    assert tune("run", "plover", "--apply", "none").code == 0
    shutil.rmtree(project / ".workflow")
    (other := project.parent / "other").mkdir()
    monkeypatch.chdir(other)
    assert "no run in this project; start one with" in tune("status").err


@pytest.fixture
def skill_elsewhere(tmp_path):
    """Return a skill outside the project."""
    return write_skill(tmp_path / "elsewhere" / "risky")


def test_lost_run_is_not_named_after_a_later_run_elsewhere(tune, project, skill_elsewhere):
    assert tune("run", "plover", "--apply", "all").code == 0
    shutil.rmtree(project / ".workflow")
    assert tune("run", str(skill_elsewhere), "--apply", "none").code == 0
    for command in ("status", "resume"):
        assert "is gone" not in (result := tune(command)).err
        assert (result.code, "earlier run" in result.err) == (0, False)


def test_lost_run_is_not_named_after_runs_of_two_projects(tune, project, skill_elsewhere, monkeypatch):
    assert tune("run", "plover", "--apply", "all").code == 0
    shutil.rmtree(project / ".workflow")
    assert tune("run", str(skill_elsewhere), "--apply", "none").code == 0
    (other := project.parent / "other").mkdir()
    monkeypatch.chdir(other)
    assert tune("run", str(skill_elsewhere), "--apply", "none").code == 0
    monkeypatch.chdir(project)
    assert "is gone" not in (result := tune("status")).err
    assert (result.code, "earlier run" in result.err) == (0, False)


@pytest.mark.slow
def test_killed_run_of_a_skill_elsewhere_is_named(tune, kill, project, skill_elsewhere):
    assert tune("run", "plover", "--apply", "none").code == 0
    kill("run", str(skill_elsewhere), "--judge", "none", "--apply", "all")
    assert f"start it again with `tune-skill run {skill_elsewhere}`" in " ".join(tune("status").err.split())
