"""Test reading transcripts and finding the sessions that used a skill."""

import json
import os
from pathlib import Path

import pytest

from orchestrator.errors import BadInput
from orchestrator.guard import transcripts
from orchestrator.guard.transcripts import JUDGE_MARK, find_sessions, read_lines, read_transcript, uses_skill

CWD = "/home/ann/birds"


def make_record(role, content, cwd=CWD, **fields):
    return json.dumps({"cwd": cwd, "type": role, "message": {"role": role, "content": content}, **fields}) + "\n"


def test_read_transcript_stops_at_the_last_complete_line(tmp_path):
    path = tmp_path / "s1.jsonl"
    path.write_text(make_record("user", "Count.") + make_record("assistant", "Twelve.")[:-20])
    transcript = read_transcript(path)
    assert (transcript.session_id, len(transcript.messages), transcript.skipped.broken) == ("s1", 1, 1)


def test_read_lines_skips_a_line_over_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(transcripts, "MAX_LINE", 1000)
    path = tmp_path / "s1.jsonl"
    path.write_text(
        make_record("user", "x" * 5000) + make_record("user", "Count.") + make_record("user", "y" * 5000).rstrip()
    )
    transcript = read_transcript(path)
    assert [m.text for m in transcript.messages] == ["Count."]
    assert (transcript.skipped.oversized, transcript.records) == (2, 3)
    assert transcript.messages[0].record == 1


def test_read_transcript_follows_a_link(tmp_path):
    (tmp_path / "real.jsonl").write_text(make_record("user", "Count."))
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    assert read_transcript(tmp_path / "link.jsonl").session_id == "link"


def test_read_lines_reads_a_json_list(tmp_path):
    path = tmp_path / "s1.jsonl"
    path.write_text(json.dumps([{"role": "user", "content": "Count."}, 7]))
    transcript = read_transcript(path)
    assert [m.text for m in transcript.messages] == ["Count."]
    assert transcript.skipped.broken == 1


def test_read_lines_refuses_what_is_not_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "list").write_text("[1, 2")
    (tmp_path / "long").write_text("[" + "0," * 4_000_000 + "0]")
    for name in ("missing", "pipe", "loop", "list", "nul\0l", ""):
        with pytest.raises(BadInput, match=r"give the \.jsonl file of a session"):
            read_transcript(tmp_path / name)
    for folder in (".", "..", "/"):
        with pytest.raises(BadInput, match=r"not a regular file; give the \.jsonl file of a session"):
            read_transcript(Path(folder))
    with pytest.raises(BadInput, match="a JSON list of more than 8 MB; save it with one record per line"):
        read_transcript(tmp_path / "long")


def test_read_transcript_includes_sub_agents_in_their_folder(tmp_path):
    folder = tmp_path / "s1" / "subagents"
    folder.mkdir(parents=True)
    tool_use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest"}}
    (folder / "agent-a7.jsonl").write_text(make_record("assistant", [tool_use], isSidechain=True, agentId="a7"))
    (folder / "agent-b8.jsonl").mkdir()
    (tmp_path / "s1.jsonl").write_text(make_record("user", "Count."))
    transcript = read_transcript(tmp_path / "s1.jsonl")
    assert [agent.agent for agent in transcript.agents] == ["a7", "b8"]
    assert [step.call.agent for step in transcript.steps] == ["a7"]


def test_read_transcript_includes_sub_agents_of_older_versions(tmp_path):
    (tmp_path / "agent-a7.jsonl").write_text(make_record("user", "Look.", sessionId="s1", isSidechain=True))
    (tmp_path / "agent-b8.jsonl").write_text(make_record("user", "Look.", sessionId="s2", isSidechain=True))
    (tmp_path / "s1.jsonl").write_text(make_record("user", "Count."))
    assert [agent.agent for agent in read_transcript(tmp_path / "s1.jsonl").agents] == ["a7"]


@pytest.fixture
def projects(fresh_home, monkeypatch, tmp_path):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    folder = tmp_path / "claude" / "projects" / "-any-name"
    folder.mkdir(parents=True)
    return folder


def write_session(folder, name, age, *lines):
    path = folder / f"{name}.jsonl"
    path.write_text("".join(lines))
    os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return path


def make_skill_use(cwd, skill):
    return make_record("assistant", [{"type": "tool_use", "id": "t", "name": "Skill", "input": {"skill": skill}}], cwd)


def test_find_sessions_matches_folder_and_skill_newest_first(projects, tmp_path):
    project, skill = tmp_path / "birds", tmp_path / "birds" / "skills" / "ringing"
    skill.mkdir(parents=True)
    project_path = str(project)
    old = write_session(projects, "old", 30, make_skill_use(project_path, "birds:ringing"))
    new = write_session(projects, "new", 10, make_skill_use(f"{project_path}/src", "ringing"))
    base = write_session(
        projects,
        "base",
        20,
        make_record("user", f"Base directory for this skill: {skill}\n", project_path, isMeta=True),
    )
    write_session(
        projects,
        "other-skill",
        1,
        make_skill_use(project_path, "moult") + make_record("user", "not ringing", project_path),
    )
    write_session(projects, "elsewhere", 2, make_skill_use(f"{project_path}-two", "ringing"))
    write_session(projects, "broken", 3, "{", "\xff")
    write_session(
        projects,
        "judge",
        4,
        make_record("user", f"{JUDGE_MARK}\nringing", project_path),
        make_skill_use(project_path, "ringing"),
    )

    def is_used(session):
        return uses_skill(session, "ringing", skill)

    assert find_sessions("ringing", project, is_used) == (new, base, old)
    assert find_sessions("ringing", project, is_used, limit=1) == (new,)


def test_find_sessions_is_empty_without_a_projects_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "none"))
    assert find_sessions("ringing", tmp_path, lambda session: True) == ()


def test_read_lines_refuses_a_huge_file_unread(tmp_path):
    path = tmp_path / "session.jsonl"
    with path.open("wb") as file:
        file.truncate(10_000_000_000)
    with pytest.raises(BadInput, match="larger than 1000 MB"):
        list(read_lines(path))
