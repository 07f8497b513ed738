"""Test that `run`, with an API key in the environment, sends nothing unless the user allows it here or in settings."""

import json
import os
import subprocess

import pytest

from orchestrator.cli import main
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
def api_key(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")  # No server listens there.


def list_judges_of_runs(project):
    """Return the `judge` option of each run, oldest first."""
    states = sorted(project.glob(".workflow/skill-tuning/*/state.json"), key=os.path.getmtime)
    return [json.loads(path.read_bytes())["options"]["judge"] for path in states]


def answer_at_terminal(project, key):
    terminal = Terminal(project, *RUN)
    terminal.wait_for(b"[y,n,a,d,?]")
    terminal.type(key + b"\n")
    output = terminal.read_all().decode()
    return terminal.wait_for_end(), output


def run_without_terminal(project, *options):
    command = [*COMMAND, *RUN, *options]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


def test_consent_shows_what_is_sent_and_remembers_a_refusal(project, api_key):
    code, output = answer_at_terminal(project, b"d")
    assert code in (0, 1)
    assert "characters of plover (1 file)" in output
    assert "127.0.0.1:9, through Claude Code" in output
    assert "USD for 1 question" in output
    assert "at most 2.00 USD" in output
    assert "a digest of its project (other skills and agents, scripts, headings of CLAUDE.md" in output
    assert consent.read_consent(project) == {"judge": "none"}
    assert not (project / ".maceff" / "config.json").exists()
    second_result = run_without_terminal(project)
    assert "no model was used" not in second_result.stderr
    assert list_judges_of_runs(project) == ["none", "none"]


def test_consent_without_a_terminal_sends_nothing(project, api_key):
    result = run_without_terminal(project)
    assert result.stderr.count("no model was used") == 1
    assert list_judges_of_runs(project) == ["none"]


@pytest.mark.slow
def test_consent_granted_sends_the_question(project, api, monkeypatch):
    api.script = Reviewer()
    assert answer_at_terminal(project, b"n")[0] in (0, 1)
    assert not api.model_requests
    assert answer_at_terminal(project, b"a")[0] in (0, 1)
    assert (sent := len(api.model_requests))
    monkeypatch.chdir(project)
    for options in (("--judge", "none"), ()):
        assert len(api.model_requests) == sent
        with pytest.raises(SystemExit):
            main([*RUN, *options])
    assert len(api.model_requests) > sent
    assert list_judges_of_runs(project) == ["none", "auto", "none", "auto"]
