"""Test what `status`, `resume` and `run` say about a run that was killed before its first save, or whose folder is gone."""

import shutil
import signal
import subprocess
import sys

import pytest

from tests.fakes import write_skill

KILLED = """
import os, signal, sys
from orchestrator.cli import main
from orchestrator.run.store import StateStore
StateStore.create = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
main(sys.argv[1:])
"""


@pytest.fixture
def kill(project):
    """Return a function that runs the command and kills it with SIGKILL just before its first save."""

    def start(*arguments: str) -> None:
        done = subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False, capture_output=True)
        assert done.returncode == -signal.SIGKILL, done.stderr

    return start


@pytest.mark.slow
def test_run_killed_before_its_first_save_is_named(tune, kill, project):
    kill("run", "plover", "--judge", "none", "--apply", "all")
    for command in ("status", "resume", "report"):
        done = tune(command)
        assert done.code == 2
        assert (
            "was stopped before its first save and changed nothing; start it again with `tune-skill run /" in done.err
        )
    assert tune("run", "plover", "--apply", "all").code == 0
    assert "first save" not in (done := tune("status")).err + done.out


@pytest.mark.slow
def test_earlier_run_is_not_taken_for_the_killed_one(tune, kill, project):
    assert tune("run", "plover", "--apply", "none").code == 0
    kill("run", "plover", "--judge", "none", "--apply", "all")
    for command in ("status", "resume"):
        done = tune(command)
        assert done.code == 0
        assert "was stopped before its first save" in " ".join(done.err.split())
        assert "This is an earlier run." in " ".join(done.err.split())


def test_lost_folder_of_the_newest_run_is_named(tune, project, work_dirs):
    assert tune("run", "plover", "--apply", "all").code == 0
    (work,) = work_dirs()
    shutil.rmtree(project / ".workflow")
    done = tune("status")
    assert done.code == 2
    assert f"the folder of run {work.name} is gone ({work})" in done.err
    assert "neither resumed nor rolled back" in done.err


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


def test_lost_run_is_not_named_after_a_later_one_of_a_skill_elsewhere(tune, project, skill_elsewhere):
    assert tune("run", "plover", "--apply", "all").code == 0
    shutil.rmtree(project / ".workflow")
    assert tune("run", str(skill_elsewhere), "--apply", "none").code == 0
    for command in ("status", "resume"):
        assert "is gone" not in (done := tune(command)).err
        assert (done.code, "earlier run" in done.err) == (0, False)


def test_lost_run_is_not_named_if_another_project_used_the_later_skill(tune, project, skill_elsewhere, monkeypatch):
    assert tune("run", "plover", "--apply", "all").code == 0
    shutil.rmtree(project / ".workflow")
    assert tune("run", str(skill_elsewhere), "--apply", "none").code == 0
    (other := project.parent / "other").mkdir()
    monkeypatch.chdir(other)
    assert tune("run", str(skill_elsewhere), "--apply", "none").code == 0
    monkeypatch.chdir(project)
    assert "is gone" not in (done := tune("status")).err
    assert (done.code, "earlier run" in done.err) == (0, False)


@pytest.mark.slow
def test_killed_run_of_a_skill_elsewhere_is_named(tune, kill, project, skill_elsewhere):
    assert tune("run", "plover", "--apply", "none").code == 0
    kill("run", str(skill_elsewhere), "--judge", "none", "--apply", "all")
    assert f"start it again with `tune-skill run {skill_elsewhere}`" in " ".join(tune("status").err.split())
