"""Test that git is not started where it would wait for a pipe, and at most once where it does not answer."""

import os
import subprocess

import pytest

from orchestrator.errors import BadInput
from orchestrator.fs import git_process, git_silence
from orchestrator.fs.git import ask_git
from orchestrator.project.projects import Projects


@pytest.fixture
def repository(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return tmp_path


@pytest.fixture
def calls(monkeypatch):
    """Return the commands that are started, which have half a second."""
    started = []
    start = subprocess.Popen
    monkeypatch.setattr(git_process, "SECONDS", 0.5)
    monkeypatch.setattr(
        subprocess, "Popen", lambda words, **options: (started.append(words), start(words, **options))[1]
    )
    return started


@pytest.mark.parametrize("name", [".gitignore", ".git/config", ".git/info/exclude", ".git/HEAD"])
def test_git_is_not_started_beside_a_pipe(repository, calls, name):
    (repository / name).unlink(missing_ok=True)
    os.mkfifo(repository / name)
    with pytest.raises(BadInput, match=f"it would wait for the pipe {name}; remove it"):
        ask_git(repository, "ls-files")
    assert calls == []


def test_git_without_an_answer_is_started_once(repository, calls, monkeypatch):
    os.mkfifo(repository / "pipe")
    with (repository / ".git" / "config").open("a") as file:
        file.write("[include]\npath = ../pipe\n")
    projects = Projects()
    for _ in range(2):
        assert ".git/config" not in projects.read(repository).files
        with pytest.raises(BadInput, match=r"git did not answer within 0\.5 s"):
            ask_git(repository, "ls-files")
    assert len(calls) == 1
    (note,) = projects.list_notes()
    assert note.startswith(f"{repository}: git did not answer within 0.5 s; ")
    monkeypatch.setattr(git_silence, "_SECONDS", 0)
    (repository / "pipe").unlink()
    assert ask_git(repository, "ls-files") == b""
