"""Test through the real Claude Code that a kept answer is used only while its looked-up files are as they were."""

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from orchestrator.cli.diagnose import diagnose
from orchestrator.cli.run import run
from tests.fakes import write_skill
from tests.judges import add_finding, make_reading
from tests.scripted_api import build_smallest_value, get_answer_schema, get_last_user_text, list_tool_names, tool_call

LOOK = "mcp__project__look"
QUOTE = "The target is staging, as in config/targets.json."


@pytest.fixture
def targets(tmp_path, monkeypatch):
    """Return the file that the model looks up in a project with one skill."""
    write_skill(tmp_path / "project" / ".claude" / "skills" / "plover", f"{QUOTE}\n")
    file = tmp_path / "project" / "config" / "targets.json"
    file.parent.mkdir()
    (file.parent / "other.json").write_text("{}\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path / "project", check=True)
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return file


def script_look_up(**lookup):
    """Return a script that looks something up once, and reports a finding if the result says production."""

    def script(request):
        messages = json.dumps(request["messages"])
        if "Your task is to refute" in get_last_user_text(request):
            return tool_call("StructuredOutput", **build_smallest_value(get_answer_schema(request)))
        if LOOK in list_tool_names(request) and LOOK not in messages:
            return tool_call(LOOK, **lookup)
        finding = add_finding(QUOTE, severity="high", looked_up=["config/targets.json"])
        return tool_call("StructuredOutput", **make_reading(added=[finding] if "production" in messages else []))

    return script


def read_findings(*options):
    """Return the descriptions of the model's findings, and the notes."""
    command = ["plover", "--format", "json", "--judge", "sdk", *options]
    value = json.loads(CliRunner().invoke(diagnose, command, standalone_mode=False).stdout)
    return [issue["severity"] for issue in value["issues"] if issue["source"] == "sdk"], value["notes"]


def test_finding_survives_another_edit_of_its_looked_up_file(api, targets):
    api.script = script_look_up(paths=["config/targets.json"])
    targets.write_text('{"target": "production"}\n')
    assert read_findings()[0] == ["high"]
    asked = len(api.model_requests)
    findings, notes = read_findings()
    assert (findings, len(api.model_requests)) == (["high"], asked), "nothing has changed, so nothing is asked"
    assert any("answers of claude-" in note and "kept since 20" in note for note in notes)
    targets.write_text('{"target": "production", "region": "eu"}\n')
    findings, notes = read_findings()
    assert findings == ["high"]
    assert not any("has changed" in note for note in notes)


@pytest.mark.parametrize(
    "lookup", [{"paths": ["config/targets.json"]}, {"paths": ["config/*.json"]}, {"pattern": '"prod'}]
)
@pytest.mark.parametrize("before", ['{"target": "staging"}\n', None])
def test_clean_answer_is_not_kept_after_its_looked_up_file_breaks(api, targets, lookup, before):
    """The file may also be one that was not found, or that a search did not hit."""
    api.script = script_look_up(**lookup)
    if before:
        targets.write_text(before)
    assert read_findings()[0] == []
    targets.write_text('{"target": "production"}\n')
    assert read_findings()[0] == ["high"]


def test_answer_of_another_model_is_not_used(api, targets, monkeypatch):
    api.script = script_look_up(paths=["config/targets.json"])
    for model in ("claude-haiku-4-5", "claude-opus-4-5"):
        monkeypatch.setenv("ANTHROPIC_MODEL", model)
        read_findings()
        assert api.model_requests[-1]["model"].startswith(model)


def test_run_takes_the_answers_of_the_diagnosis_before_it(api, targets):
    targets.write_text('{"target": "production"}\n')
    api.script = script_look_up(paths=["config/targets.json"])
    read_findings()
    asked = len(api.model_requests)
    arguments = ["plover", "--judge", "sdk", "--apply", "none", "--no-sessions", "--work-dir", "work"]
    CliRunner().invoke(run, arguments, standalone_mode=False)
    state = json.loads(Path("work", "state.json").read_bytes())
    assert [issue["severity"] for issue in state["issues"] if issue["source"] == "sdk"] == ["high"]
    kept = [note for note in state["notes"] if "answers of claude-" in note and "kept since 20" in note]
    assert [note.rpartition(": ")[2] for note in kept] == ["reading", "refutation"]
    later = json.dumps([request["messages"] for request in api.model_requests[asked:]])
    assert "what goes wrong in a run?" not in later
    assert "Your task is to refute" not in later
