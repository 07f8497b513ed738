"""Test that `sessions` lets the real Claude Code, with a scripted model, read sessions, and shows its observations."""

import errno
import json
import os
import re

import pytest
from click.testing import CliRunner

import schemas
from actions.session.example import agent, bash, user
from orchestrator.cli.sessions import sessions
from tests.examples import make_messages
from tests.judges import confirm_observation
from tests.scripted_api import Reply, get_last_user_text, tool_call

TEXT = (
    "---\nname: depart\ndescription: Casts off. Use when a boat leaves.\n---\n\nRead the tides before you cast off.\n"
)
LOADED_TEXT = "Base directory for this skill: /x/depart\n\n" + TEXT.partition("---\n\n")[2]
SKIPPED_OBSERVATION = {
    "kind": "skipped", "line": 1, "words": "Read the tides before you cast off", "record": 3,
    "quote": "berth depart --now", "what": "The run cast off without reading the tides.", "severity": "medium",
}  # fmt: skip


@pytest.fixture
def project_with_sessions(tmp_path, monkeypatch):
    """Return a project with a skill and two sessions that did not follow it."""
    root, folder = tmp_path / "quay", tmp_path / "claude" / "projects" / "-quay"
    (root / ".git").mkdir(parents=True)
    folder.mkdir(parents=True)
    skill = root / ".claude" / "skills" / "depart" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(TEXT)
    load_record = {
        "type": "user",
        "isMeta": True,
        "message": {"role": "user", "content": [{"type": "text", "text": LOADED_TEXT}]},
    }
    for n in (1, 2):
        records = [
            *make_messages(user("Cast off.")),
            load_record,
            *make_messages(bash(f"berth depart --now {n}", "gone"), agent("Gone."), prefix=f"b{n}"),
        ]
        lines = [json.dumps({"cwd": str(root), "sessionId": f"boat-{n}", **record}) for record in records]
        (folder / f"boat-{n}.jsonl").write_text("\n".join(lines))
    monkeypatch.chdir(root)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    return root


def observe_and_confirm(request):
    """Observe the skipped line in each session, confirm it in the second reading, and accept it in the check."""
    if "which of these rows stand?" in get_last_user_text(request):
        return tool_call("StructuredOutput", checks=[{"number": 1, "reason": "Looked up.", "verdict": "stands"}])
    is_second = "what of these observations is certain?" in get_last_user_text(request)
    observations = [] if is_second else [SKIPPED_OBSERVATION]
    return tool_call(
        "StructuredOutput", orders=[], observations=observations, verdicts=[confirm_observation()] * is_second
    )


@pytest.mark.usefixtures("one_start_per_schema")
def test_sessions_show_what_the_model_observed(project_with_sessions, api):
    api.script = observe_and_confirm
    arguments = (str(project_with_sessions / ".claude/skills/depart"), "--judge", "sdk", "--format", "json")
    result = CliRunner().invoke(sessions, arguments, standalone_mode=False)
    value = json.loads(result.stdout)
    schemas.check("sessions", value)
    (table,) = value["units"]
    events = [[(e["kind"], e["line"], e["record"]) for e in t["events"] if e["is_read"]] for t in table["timelines"]]
    assert events == [[("skipped", 6, 3)]] * 2
    assert [(fault["pattern"], fault["line"], fault["grade"]) for fault in table["faults"]] == [("SES-014", 6, "read")]
    assert any("answered 10 questions for" in note for note in value["notes"])
    assert "sent to" in result.stderr, "the user is not told where texts are sent"
    assert "depart: a model reads 2 runs" in result.stderr


def read_with_model(root):
    """Return the notes of `sessions` with a model."""
    arguments = (str(root / ".claude/skills/depart"), "--judge", "sdk", "--format", "json")
    return json.loads(CliRunner().invoke(sessions, arguments, standalone_mode=False).stdout)["notes"]


def is_last_check(request):
    return "which of these rows stand?" in get_last_user_text(request)


@pytest.mark.usefixtures("one_start_per_schema")
def test_repeated_command_asks_only_the_missing_questions(project_with_sessions, api):
    api.script = lambda request: Reply(status=400) if is_last_check(request) else observe_and_confirm(request)
    notes = read_with_model(project_with_sessions)
    assert any("answered 6 of 10 questions for" in note for note in notes), notes
    assert any("the same command asks only the missing ones" in note for note in notes)
    api.script, count = observe_and_confirm, len(api.model_requests)
    notes = read_with_model(project_with_sessions)
    assert any("answered 10 questions (6 by earlier commands) for" in note for note in notes), notes
    assert [is_last_check(request) for request in api.model_requests[count:]] == [True] * 4
    count = len(api.model_requests)
    assert any(
        "answered 10 questions (10 by earlier commands) for 0.00" in n for n in read_with_model(project_with_sessions)
    )
    assert len(api.model_requests) == count


@pytest.mark.usefixtures("one_start_per_schema")
@pytest.mark.parametrize("is_cache_full", [False, True])
def test_answers_survive_an_output_that_cannot_be_written(project_with_sessions, api, monkeypatch, is_cache_full):
    """If the cache is on the same full disk, it is not promised that they do."""

    def fail(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    api.script = observe_and_confirm
    with monkeypatch.context() as patch:
        patch.setattr("orchestrator.cli.sessions.print_result", fail)
        if is_cache_full:
            patch.setattr("orchestrator.model.answer_cache.AnswerCache._write", fail)
        result = CliRunner().invoke(
            sessions, (str(project_with_sessions / ".claude/skills/depart"), "--judge", "sdk"), standalone_mode=False
        )
    kept = "the same command asks only the missing questions within a day"
    lost = "no answer is kept"
    assert re.fullmatch(
        r"the output or a file: No space left on device; at most about 0\.\d+ USD were paid; "
        f"{lost if is_cache_full else kept}", str(result.exception),
    ), result.exception  # fmt: skip
    count = len(api.model_requests)
    read_with_model(project_with_sessions)
    assert len(api.model_requests) == (2 * count if is_cache_full else count)


def test_sessions_ask_no_model_by_default(project_with_sessions, api):
    result = CliRunner().invoke(sessions, [str(project_with_sessions / ".claude/skills/depart")], standalone_mode=False)
    assert "depart" in result.stdout
    assert api.model_requests == []
