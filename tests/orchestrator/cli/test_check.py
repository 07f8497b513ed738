"""Test `tune-skill check`: power steering on a recorded session."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import schemas
from actions.session.example import agent, bash, edit, todos, user
from orchestrator.cli.check import check
from orchestrator.errors import BadInput
from orchestrator.guard.steering.considerations import load_shipped_considerations
from tests.examples import make_messages


@pytest.fixture
def write_session(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(*parts, name="s1.jsonl"):
        path = tmp_path / name
        path.write_text("\n".join(json.dumps({"message": message}) for message in make_messages(*parts)))
        return str(path)

    return write


def run_check(*arguments):
    return CliRunner().invoke(check, arguments, standalone_mode=False)


SESSION_WITH_OPEN_TODO = (user("Fix it."), edit("sum.py", "x"), todos(Round_it="pending"), agent("Fixed | done."))


def test_check_json_matches_schema_and_exit_code(write_session):
    result = run_check(write_session(*SESSION_WITH_OPEN_TODO), "--format", "json")
    output = json.loads(result.output)
    schemas.check("check", output)
    assert result.return_value == 1
    assert (output["decision"], output["session_id"], output["session_type"]) == ("block", "s1", "DEVELOPMENT")
    considerations = {row["id"]: row for row in output["considerations"]}
    assert considerations["todos_complete"]["evidence"] == [{"record": 3, "quote": "Round it"}]
    assert considerations["local_testing"]["satisfied"] is False
    assert considerations["local_testing"]["source"] == "heuristic"
    assert len(considerations) == len(load_shipped_considerations())


def test_check_json_escapes_control_characters(write_session):
    hostile_text = "Round\x9b2J \u202eit"
    output = run_check(
        write_session(user("Fix it."), todos(**{hostile_text: "pending"}), agent("Fixed.")), "--format", "json"
    ).output
    assert not {"\x9b", "\u202e"} & set(output)
    assert hostile_text in json.dumps(json.loads(output), ensure_ascii=False)


def test_check_of_a_finished_session_exits_0(write_session):
    path = write_session(user("Fix it."), edit("sum.py", "x"), bash("pytest", "3 passed in 0.1s"), agent("Fixed."))
    result = run_check(path)
    assert result.return_value == 0
    assert result.output.endswith("Decision: approve\n")


def test_check_names_unsatisfied_items_and_places(write_session):
    path = write_session(*SESSION_WITH_OPEN_TODO)
    lines = run_check(path).output.splitlines()
    assert lines[0] == "Session s1: development, 6 records."
    assert lines[2] == "It would be blocked because:"
    assert any(line.startswith("  local_testing: ") for line in lines)
    assert "    record 3 | Round it" in lines
    assert lines[-1].startswith("Decision: block (todos_complete")
    assert len(lines) < 30
    page = run_check(path, "--format", "markdown").output
    assert page.index("## Not satisfied") < page.index("| Consideration |")
    assert "record 3: `Round it`" in page


def test_check_reports_compaction_loss_once(write_session):
    path = Path(write_session(user("Count the terns on the north shore."), agent("Seventy terns.")))
    boundary = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}}
    with path.open("a") as file:
        file.write(f"\n{json.dumps(boundary)}\n{json.dumps({'message': user('Nothing else.')})}")
    out = " ".join(run_check(str(path)).output.split())
    assert out.count("Recent context lost: 2 of the last 2 turns before the compaction left no trace") == 1


def test_check_writes_nothing(write_session, tmp_path):
    run_check(write_session(*SESSION_WITH_OPEN_TODO))
    assert [path.name for path in tmp_path.rglob("*")] == ["s1.jsonl"]


def test_check_refuses_a_file_without_messages(write_session, tmp_path):
    (tmp_path / "odd.jsonl").write_text("{\n{\n")
    for name in ("odd.jsonl", "missing.jsonl", "."):
        with pytest.raises(BadInput, match=r"give the \.jsonl file of a session"):
            check.main([str(tmp_path / name)], standalone_mode=False)


def test_check_counts_skipped_lines(write_session, tmp_path):
    path = write_session(*SESSION_WITH_OPEN_TODO)
    with Path(path).open("a") as file:
        file.write('\n{"message": {"role": "user", "con')
    assert "Skipped: 1 broken line." in run_check(path).output
    assert json.loads(run_check(path, "--format", "json").output)["skipped"]["broken"] == 1


def test_check_warns_without_sdk_and_uses_heuristics(write_session):
    result = run_check(write_session(*SESSION_WITH_OPEN_TODO), "--judge", "sdk", "--format", "json")
    output = json.loads(result.stdout)
    assert result.return_value == 1
    assert (output["judge"], output["cost_usd"]) == (None, 0)
    assert "neither an API key nor a Claude login" in output["notes"][0]
    assert "--judge sdk: found neither an API key nor a Claude login" in result.stderr


def test_check_auto_falls_back_silently(write_session):
    result = run_check(write_session(*SESSION_WITH_OPEN_TODO), "--judge", "auto", "--format", "json")
    assert "neither an API key nor a Claude login" in json.loads(result.stdout)["notes"][0]
    assert result.stderr == ""
