"""Test that `run`, with an API key in the environment, sends nothing unless the user allows it here or in settings."""

import json
import os
import subprocess

import pytest

from orchestrator.guard.sessions import consent
from tests.fakes import write_skill
from tests.reviewer import Reviewer
from tests.terminal import COMMAND, Terminal

RUN = ("run", "plover", "--apply", "none", "--no-sessions", "--focus", "docs")


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    write_skill(folder / "plover")
    (folder / ".git").mkdir()
    return folder


@pytest.fixture
def with_key(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")  # no server listens there


def judges(project):
    """Return the `judge` option of each run, oldest first."""
    states = sorted(project.glob(".workflow/skill-tuning/*/state.json"), key=os.path.getmtime)
    return [json.loads(path.read_bytes())["options"]["judge"] for path in states]


def answered(project, key):
    terminal = Terminal(project, *RUN)
    terminal.wait_for(b"[y,n,a,d,?]")
    terminal.type(key + b"\n")
    seen = terminal.all().decode()
    return terminal.end(), seen


def silent(project, *more):
    command = [*COMMAND, *RUN, *more]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


def test_consent_shows_what_is_sent_and_remembers_a_refusal(project, with_key):
    code, seen = answered(project, b"d")
    assert code in (0, 1)
    assert "characters of plover (1 file)" in seen
    assert "127.0.0.1:9, through Claude Code" in seen
    assert "USD for 1 question" in seen
    assert "at most 2.00 USD" in seen
    assert consent.read_consent(project) == {"judge": "none"}
    assert not (project / ".maceff" / "config.json").exists()
    again = silent(project)
    assert "no model was used" not in again.stderr
    assert judges(project) == ["none", "none"]


def test_consent_without_a_terminal_sends_nothing(project, with_key):
    done = silent(project)
    assert done.stderr.count("no model was used") == 1
    assert judges(project) == ["none"]


@pytest.mark.slow
def test_consent_granted_sends_the_question(project, api):
    api.script = Reviewer()
    assert answered(project, b"n")[0] in (0, 1)
    assert not api.asked
    assert answered(project, b"a")[0] in (0, 1)
    assert (sent := len(api.asked))
    assert silent(project, "--judge", "none").returncode in (0, 1)
    assert len(api.asked) == sent
    silent(project)
    assert len(api.asked) > sent
    assert judges(project) == ["none", "auto", "none", "auto"]
