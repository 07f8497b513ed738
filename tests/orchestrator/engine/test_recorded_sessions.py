"""Test which sessions a run reads: named or found, the newest ones, with a note for each unusable one."""

import json
import os

import pytest

from actions.case import Case
from orchestrator.engine import recorded_sessions
from orchestrator.engine.recorded_sessions import list_session_files, read_sessions
from orchestrator.errors import BadInput
from orchestrator.guard.transcripts import JUDGE_MARK
from orchestrator.project.skill_reader import read_skill
from schemas.options import Options
from tests.fakes import write_skill


def write_session(path, *messages, age=0, cwd="/nowhere"):
    path.parent.mkdir(parents=True, exist_ok=True)
    records = [{"timestamp": "2026-03-01T09:30:00.000Z", "cwd": cwd, "message": m} for m in messages]
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return path


def make_message(text):
    return {"role": "user", "content": text}


USE_OF_SKILL = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "t", "name": "Skill", "input": {"skill": "plover"}}],
}


@pytest.fixture
def root(tmp_path):
    return write_skill(tmp_path / "plover")


def read_recorded_sessions(root, *paths, sessions="given"):
    return read_sessions(Options(sessions, tuple(map(str, paths))), Case(read_skill(root)), root)


def test_folder_gives_sessions_newest_first_each_once(root, tmp_path):
    old = write_session(tmp_path / "s" / "old.jsonl", USE_OF_SKILL, age=9)
    write_session(tmp_path / "s" / "new.jsonl", USE_OF_SKILL)
    write_session(tmp_path / "s" / "agent-a1.jsonl", USE_OF_SKILL)
    sessions = read_recorded_sessions(root, tmp_path / "s", old)
    assert [t.session_id for t in sessions.sessions] == ["new", "old"]
    assert sessions.sessions[0].date == "2026-03-01"
    assert (sessions.notes, bool(sessions.considerations)) == ((), True)


def test_unusable_session_is_named_in_a_note(root, tmp_path):
    write_session(tmp_path / "s" / "judge.jsonl", make_message(f"{JUDGE_MARK} Was it done?"))
    (tmp_path / "s" / "empty.jsonl").write_text("{}\n")
    (tmp_path / "s" / "list.jsonl").write_text("[1,")
    write_session(tmp_path / "s" / "other.jsonl", make_message("Hello"))
    sessions = read_recorded_sessions(root, tmp_path / "s", tmp_path / "gone.jsonl")
    assert sessions.sessions == (), "a session without the skill was read"
    notes = "\n".join(sessions.notes)
    for expected_note in (
        "tune-skill's own model",
        "has no message",
        "a session was not read",
        "gone.jsonl",
        "1 of 1 session does not show plover in use",
    ):
        assert expected_note in notes


def test_only_the_newest_sessions_are_read(root, tmp_path, monkeypatch):
    monkeypatch.setattr(recorded_sessions, "MAX_SESSIONS", 2)
    for n in range(5):
        write_session(tmp_path / "s" / f"s{n}.jsonl", USE_OF_SKILL, age=n)
    sessions = read_recorded_sessions(root, tmp_path / "s")
    assert [t.session_id for t in sessions.sessions] == ["s0", "s1"]
    assert sessions.notes == ("the 2 newest sessions were read; 3 older ones were left out",)


def test_project_sessions_are_found_unless_switched_off(root, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    write_session(tmp_path / "claude" / "projects" / "p" / "one.jsonl", USE_OF_SKILL, cwd=str(tmp_path))
    write_session(tmp_path / "claude" / "projects" / "p" / "far.jsonl", USE_OF_SKILL)
    assert [t.session_id for t in read_recorded_sessions(root, sessions="discover").sessions] == ["one"]
    assert read_recorded_sessions(root, sessions="none") == recorded_sessions.RecordedSessions()


def test_path_without_sessions_is_bad_input(tmp_path):
    for name in ("missing", "", "nul\0l"):
        with pytest.raises(BadInput):
            list_session_files(str(tmp_path) if name == "" else str(tmp_path / name))
