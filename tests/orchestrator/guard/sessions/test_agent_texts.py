"""Test that the texts of the project's agents are saved at a session's start, and that only complete ones are read."""

import json

from orchestrator.guard.hooks import handle_session_start
from orchestrator.guard.sessions import agent_texts
from orchestrator.guard.sessions.agent_texts import read_agent_text, record_agent_texts

PATH = ".claude/agents/pilot.md"


def make_project(tmp_path, text="Steer.\n"):
    file = tmp_path / PATH
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_session_start_records_the_texts_of_agents(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path))
    file = make_project(tmp_path)
    hook_input = json.dumps(
        {"session_id": "1a2b", "hook_event_name": "SessionStart", "source": "startup", "cwd": str(tmp_path)}
    )
    handle_session_start.run(hook_input, testing=False)
    file.write_text("Moor.\n")
    assert read_agent_text("1a2b", PATH, tmp_path) == "Steer.\n"
    assert read_agent_text("other", PATH, tmp_path) is None


def test_same_text_is_stored_once(tmp_path):
    make_project(tmp_path)
    (tmp_path / ".claude/agents/other.md").write_text("Steer.\n")
    record_agent_texts("1", tmp_path)
    record_agent_texts("2", tmp_path)
    assert len(list((tmp_path / ".maceff/agents").glob("*.md"))) == 1


def test_changed_store_and_foreign_names_are_not_read(tmp_path):
    make_project(tmp_path)
    record_agent_texts("1", tmp_path)
    (stored_file,) = (tmp_path / ".maceff/agents").glob("*.md")
    stored_file.write_text("Sink the boat.\n")
    assert read_agent_text("1", PATH, tmp_path) is None
    index = tmp_path / ".maceff/sessions/1/agents.json"
    index.write_text(json.dumps({PATH: "../../secret", "x": 7}))
    assert read_agent_text("1", PATH, tmp_path) is None
    assert read_agent_text("1", "x", tmp_path) is None


def test_agent_behind_a_link_and_a_huge_one_are_left_out(tmp_path):
    root = tmp_path / "harbour"
    file = make_project(root)
    secret = tmp_path / "secret.md"
    secret.write_text("key")
    (file.parent / "linked.md").symlink_to(secret)
    (file.parent / "huge.md").write_text("x" * 300_000)
    record_agent_texts("1", root)
    assert set(json.loads((root / ".maceff/sessions/1/agents.json").read_text())) == {PATH}


def test_agents_folder_behind_a_link_is_not_searched(tmp_path):
    root = tmp_path / "harbour"
    make_project(tmp_path / "other")
    (root / ".claude").mkdir(parents=True)
    (root / ".claude/agents").symlink_to(tmp_path / "other/.claude/agents")
    record_agent_texts("1", root)
    assert not (root / ".maceff").exists()


def test_search_for_agents_ends_after_many_files(tmp_path, monkeypatch):
    monkeypatch.setattr(agent_texts, "_MAX_ENTRIES", 5)
    file = make_project(tmp_path)
    (file.parent / "z").mkdir()
    for n in range(8):
        (file.parent / f"{n}.txt").touch()
    (file.parent / "z" / "late.md").write_text("x")
    record_agent_texts("1", tmp_path)
    assert not (tmp_path / ".maceff/sessions/1/agents.json").exists()
