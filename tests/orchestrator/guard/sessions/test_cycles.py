"""Test counting cycles and detecting AUTO_MODE."""

import json

import pytest

from orchestrator.guard.sessions.cycles import (
    detect_auto_mode,
    increment_agent_cycle,
    load_agent_state,
    save_agent_state,
)
from orchestrator.guard.sessions.state import SessionState, get_agent_state_path


def write_project_config(project, **values):
    (project / ".maceff").mkdir(exist_ok=True)
    (project / ".maceff" / "config.json").write_text(json.dumps({"schema_version": 1, **values}))


def test_increment_agent_cycle_changes_nothing_by_default(project):
    assert increment_agent_cycle("abc") == 1
    assert not (project / ".maceff").exists()


def test_increment_agent_cycle_counts_without_testing(project):
    assert [increment_agent_cycle("abc", testing=False, now=5.0) for _ in range(3)] == [2, 3, 4]
    state = load_agent_state()
    assert (state["current_cycle_number"], state["cycles_completed"], state["last_session_id"]) == (4, 3, "abc")
    assert state["cycle_started_at"] == 5.0


@pytest.mark.parametrize(
    "text", ["", "null", '{"current_cycle_number": "9", "last_session_id": 5}', '{"current_cycle_number": true}']
)
def test_load_agent_state_resets_a_damaged_file(project, text):
    get_agent_state_path().parent.mkdir()
    get_agent_state_path().write_text(text)
    state = load_agent_state()
    assert (state["current_cycle_number"], state["last_session_id"]) == (1, None)


def test_save_agent_state_keeps_unknown_fields(project):
    save_agent_state({"theirs": [1]})
    increment_agent_cycle("abc", testing=False)
    assert load_agent_state()["theirs"] == [1]


def test_detect_auto_mode_follows_the_order_of_its_sources(project, monkeypatch):
    assert detect_auto_mode("now") == (False, "default", 0.0)
    SessionState("before", auto_mode=True).save()
    save_agent_state({"last_session_id": "before"})
    assert detect_auto_mode("now") == (True, "session", 0.5)
    SessionState("now", auto_mode=False).save()
    assert detect_auto_mode("now") == (False, "session", 0.5)
    write_project_config(project, auto_mode=True)
    assert detect_auto_mode("now") == (True, "config", 0.7)
    monkeypatch.setenv("MACF_AUTO_MODE", "OFF ")
    assert detect_auto_mode("now") == (False, "env", 0.9)
    assert detect_auto_mode("now", cli_flag=True) == (True, "cli_flag", 1.0)


@pytest.mark.parametrize("word", ["", "maybe", "2"])
def test_detect_auto_mode_ignores_an_unknown_word(project, monkeypatch, word):
    monkeypatch.setenv("MACF_AUTO_MODE", word)
    assert detect_auto_mode() == (False, "default", 0.0)


def test_detect_auto_mode_ignores_an_invalid_configuration(project):
    write_project_config(project, auto_mode="yes")
    assert detect_auto_mode() == (False, "default", 0.0)


@pytest.mark.parametrize("name", ["agent_state.json", "config.json", "sessions/before/session_state.json"])
def test_detect_auto_mode_never_raises(project, name):
    (project / ".maceff" / name).mkdir(parents=True)
    assert detect_auto_mode("before")[0] is False
    assert load_agent_state()["current_cycle_number"] == 1
    assert SessionState.load("before").compaction_count == 0


def test_save_agent_state_returns_false_on_failure(project):
    get_agent_state_path().mkdir(parents=True)
    assert save_agent_state({"current_cycle_number": 5}) is False
    assert increment_agent_cycle("abc", testing=False) == 2
    assert load_agent_state()["current_cycle_number"] == 1


def test_only_project_state_survives_a_session(project):
    SessionState("one", auto_mode=True, compaction_count=3).save()
    increment_agent_cycle("one", testing=False)
    assert load_agent_state()["current_cycle_number"] == 2
    assert SessionState.load("two").compaction_count == 0
