"""Test `--sessions`: table and quotes in text, JSON and report; a resumed run rereads them; wrong use exits with 2."""

import json
import re

import pytest

import schemas
from actions.patterns import get_session_patterns
from orchestrator.engine.scan import scan_named
from orchestrator.engine.units import ScanOptions
from tests.fakes import write_skill

RECORDS_WITH_LOST_GOAL = [
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Skill", "input": {"skill": "plover"}}]},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t2", "name": "Agent", "input": {"subagent_type": "x"}}],
    },
    {"role": "user", "content": "Implement a counter with `ls` | <b>."},
    {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "t3", "name": "Edit", "input": {"file_path": "a.py", "new_string": "x"}},
            {
                "type": "tool_use",
                "id": "t4",
                "name": "TodoWrite",
                "input": {"todos": [{"content": "Ring <b>terns</b> | \x1b[31m", "status": "pending"}]},
            },
        ],
    },
    {"role": "assistant", "content": "Done."},
]


@pytest.fixture
def sessions(project):
    folder = project / "sessions"
    folder.mkdir()
    (folder / "1f2e3d4c.jsonl").write_text("".join(json.dumps(record) + "\n" for record in RECORDS_WITH_LOST_GOAL))
    return folder


def test_run_shows_session_evidence_in_all_formats(tune, sessions, work_dirs):
    result = tune("run", "plover", "--apply", "all", "--sessions", str(sessions))
    assert "Sessions (1)" in result.out
    assert "todos_complete in 1 of 1 session" in result.out
    assert "\x1b[31m" not in result.out
    (work,) = work_dirs()
    text = (work / "report.md").read_text()
    assert (
        "## What sessions show\n\n| Session | Date | Type | Tokens | Compactions | Found |\n|---|---|---|---:|---:|---|\n| `1f2e3d4c`"
        in text
    )
    assert "answers are unknown (" in text
    assert re.search(r"^  - `1f2e3d4c record \d+ ¦ [^`]*Ring <b>terns</b>[^`\x1b]*`$", text, re.MULTILINE)
    run = tune("status", "--format", "json").as_run
    assert [row["id"] for row in run["sessions"]] == ["1f2e3d4c"]
    assert run["quality_score"] == 100, "a finding of a session must not lower the score"


def test_resume_uses_the_given_sessions(tune, sessions, work_dirs):
    assert tune("run", "plover", "--sessions", str(sessions / "1f2e3d4c.jsonl")).code == 3
    (work,) = work_dirs()
    options = json.loads((work / "state.json").read_text())["options"]
    assert (options["sessions"], options["session_paths"]) == ("given", [str(sessions / "1f2e3d4c.jsonl")])
    tune("apply", work.name, "--all")
    assert "todos_complete" in (work / "report.md").read_text()


def test_no_sessions_prints_no_session_table(tune, work_dirs):
    result = tune("run", "plover", "--apply", "none", "--no-sessions")
    (work,) = work_dirs()
    assert "Sessions" not in result.out
    assert "What sessions show" not in (work / "report.md").read_text()


def test_diagnose_uses_given_sessions(tune, sessions):
    row = tune("diagnose", "plover", "--sessions", str(sessions), "--format", "json").json
    schemas.check("diagnose", row)
    assert "todos_complete" in row["sessions"][0]["found"]
    assert {i["source"] for i in row["issues"]} == {"parser", "session"}
    assert "What sessions show" in tune("diagnose", "plover", "--sessions", str(sessions), "--format", "markdown").out
    assert "todos_complete in 1 of 1 session" in tune("diagnose", "plover", "--sessions", str(sessions)).out
    assert tune("diagnose", "plover", "--sessions", str(sessions), "--format", "sarif").code == 1
    assert tune("diagnose", "plover", "--format", "json").json["sessions"] == []


def test_wrong_sessions_option_exits_2(tune, sessions):
    assert tune("run", "plover", "--sessions", "gone.jsonl").code == 2
    assert tune("run", "plover", "--sessions", str(sessions), "--no-sessions").code == 2
    write_skill(sessions.parent / "risky", "# Risky\n")
    assert tune("diagnose", "plover", "risky", "--sessions", str(sessions)).code == 2


def test_sessions_and_no_sessions_exclude_each_other(tune, sessions):
    assert tune("diagnose", "plover", "--no-sessions", "--format", "json").json["sessions"] == []
    assert tune("diagnose", "plover", "--no-sessions", "--sessions", str(sessions)).code == 2


def test_failing_checker_raises_only_if_strict(tune, sessions, monkeypatch):
    def fail(session):
        raise ZeroDivisionError

    monkeypatch.setattr(get_session_patterns()["todos_complete"], "check", fail)
    options = ScanOptions(sessions=(str(sessions),))
    with pytest.raises(RuntimeError, match="todos_complete could not check"):
        scan_named("plover", options)
    monkeypatch.delenv("TUNE_SKILL_STRICT")
    row = scan_named("plover", options)
    assert [note for note in row.notes if note.startswith("todos_complete could not check")]
    assert row.sessions[0].unknown > 0
