"""Test that a hook lets the session continue after invalid, hostile or huge input, and on a full disk."""

import json

import pytest

import schemas
from orchestrator.guard.hooks.dispatch import HANDLERS, dispatch
from orchestrator.guard.sessions.cycles import load_agent_state
from tests.orchestrator.guard.hooks.conftest import list_tree
from tests.orchestrator.guard.hooks.samples import make_stdin


@pytest.mark.parametrize("event", HANDLERS)
def test_handler_without_input_lets_the_session_continue(project, event):
    answer = dispatch(event)
    schemas.check("hook_output", answer)
    assert answer["continue"] is True


INVALID_INPUTS = {
    "no json": "hello",
    "cut": '{"session_id": "a',
    "a list": "[1]",
    "deep": "[" * 200_000,
    "nul": "\x00",
    "NaN": "NaN",
}


@pytest.mark.usefixtures("without_strict_mode", "project")
@pytest.mark.parametrize("event", HANDLERS)
@pytest.mark.parametrize("stdin_text", INVALID_INPUTS.values(), ids=INVALID_INPUTS)
def test_invalid_input_is_logged_and_the_session_continues(event, stdin_text, tmp_path):
    assert dispatch(event, stdin_text, testing=False) == {"continue": True}
    (log,) = tmp_path.glob("macf/*/unknown/hooks/hooks.log")
    (line,) = log.read_text().splitlines()
    assert f" {event}: " in line


@pytest.mark.parametrize("event", HANDLERS)
def test_empty_input_is_accepted(project, event):
    assert dispatch(event, "  \n", testing=False)["continue"] is True
    assert load_agent_state()["last_session_id"] is None


@pytest.mark.parametrize("event", HANDLERS)
def test_fields_of_another_type_are_accepted(project, event):
    hook_input = {"session_id": 5, "prompt_id": [], "transcript_path": {}, "cwd": None, "source": 1, "agent_type": 7}
    schemas.check("hook_output", dispatch(event, json.dumps(hook_input), testing=False))


@pytest.mark.parametrize("event", HANDLERS)
def test_hostile_session_id_and_path_are_harmless(project, tmp_path, event):
    before = list_tree(tmp_path)
    dispatch(event, make_stdin(event, session_id="../../../escape", transcript_path="/dev/zero\x00"), testing=False)
    assert {path.split("/")[0] for path in set(list_tree(tmp_path)) - set(before)} <= {"project", "macf"}
    assert not (tmp_path / "escape").exists()


@pytest.mark.usefixtures("without_strict_mode")
@pytest.mark.parametrize("event", HANDLERS)
def test_full_disk_lets_the_session_continue(project, event, monkeypatch, capsys):
    (project / ".maceff").write_text("a file in the way")
    (project / ".claude").write_text("a file in the way")
    answer = dispatch(event, make_stdin(event, source="compact"), testing=False)
    schemas.check("hook_output", answer)
    assert answer["continue"] is True


def test_ten_megabytes_of_input_are_accepted(project):
    assert (
        dispatch("UserPromptSubmit", make_stdin("UserPromptSubmit", prompt="x" * 10_000_000), testing=False)["continue"]
        is True
    )


def test_hooks_raise_under_strict(project):
    with pytest.raises(ValueError, match="not a JSON object"):
        dispatch("Stop", "[1]")
