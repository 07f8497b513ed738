"""Test the tool `findings`: all units of a project, with the restrictions of the command; it starts no run."""

import json
import os
import sys
from pathlib import Path

import pytest

from actions.session.example import bash, user
from orchestrator.errors import BadInput
from orchestrator.servers.mcp import project_findings
from tests.examples import make_messages

AGENT_WITH_FAULT = "---\nname: {0}\ndescription: Watches.\npermissionMode: plan\n---\n\nWatch.\n"
FILES = {
    ".claude-plugin/plugin.json": '{"name": "birds"}',
    "agents/watcher.md": AGENT_WITH_FAULT.format("watcher"),
    "agents/old.md": AGENT_WITH_FAULT.format("old"),
    "commands/tally.md": "---\ndescription: Tallies.\n---\n\nTally [it](../agents/gone.md).\n",
}


@pytest.fixture
def call_findings(project, run_with_server):
    """Return a function that calls the tool in a plugin with a skill, two agents and a command."""
    for name, text in FILES.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)

    def call(**arguments):
        return run_with_server(lambda session: session.call("findings", **arguments))

    return call


def list_findings(result):
    return sorted(
        (unit["path"].rpartition("/")[2], finding["pattern"])
        for unit in result["units"]
        for finding in unit["findings"]
    )


def test_tool_reports_all_units(call_findings, project):
    result = call_findings()
    assert result["checked"] == {"skill": 1, "agent": 2, "command": 1, "manifest": 1}
    expected = [("old.md", "PRJ-004"), ("plover", "SPEC-005"), ("tally.md", "PRJ-012"), ("watcher.md", "PRJ-004")]
    assert list_findings(result) == expected
    assert not (project / ".workflow").exists()


def test_tool_refuses_a_target_that_is_not_a_project_or_too_large(project, monkeypatch):
    for path in ("/", str(Path.home())):
        with pytest.raises(BadInput, match=f"^{path}: not a project, because your home folder is in it; "):
            project_findings.report_findings({"paths": [path]}, None)
    monkeypatch.setattr(project_findings, "_MAX_UNITS", 0)
    with pytest.raises(BadInput, match=r"^1 unit, more than the 0 of one call; "):
        project_findings.report_findings({"paths": [str(project / "plover")]}, None)


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"only": ["agent"]}, ["old.md", "watcher.md"]),
        ({"paths": ["agents"]}, ["old.md", "watcher.md"]),
        ({"paths": ["birds:watcher", "commands/tally.md"]}, ["tally.md", "watcher.md"]),
        ({"paths": ["plover"], "only": ["skill"]}, ["plover"]),
        ({"paths": ["plover"], "only": ["hooks"]}, []),
    ],
)
def test_tool_is_restricted_as_the_command(call_findings, arguments, names):
    assert [name for name, _ in list_findings(call_findings(**arguments))] == names


def test_excluded_units_are_left_out(call_findings, project):
    (project / "tune-skill.toml").write_text('exclude = ["agents/", "plover"]\n')
    result = call_findings()
    assert list_findings(result) == [("tally.md", "PRJ-012")]
    assert result["notes"] == ["3 units excluded by tune-skill.toml"]


def test_findings_over_the_limit_are_counted(call_findings, monkeypatch):
    limit = sum(len(json.dumps(unit)) for unit in call_findings()["units"]) - 1
    monkeypatch.setattr(project_findings, "_MAX_CHARACTERS", limit)
    result = call_findings()
    assert len(list_findings(result)) == 3
    assert result["left_out"].startswith("not shown here: 1 finding, none worse than those shown")


def test_unknown_path_and_kind_are_refused(call_findings, run_with_server):
    assert "no such file or folder" in run_with_server(lambda session: session.call_refused("findings", paths=["gone"]))
    assert "is not one of" in run_with_server(lambda session: session.call_refused("findings", only=["agents"]))
    assert call_findings(paths=["agents", "gone"])["notes"][0].startswith("gone: no such file or folder")
    assert "null byte" in call_findings(paths=["agents", "\0"])["notes"][0]


def test_result_of_1000_unreadable_units_is_bounded(call_findings, project):
    for number in range(1000):
        folder = project / f"skills/s{number}"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_bytes(b"---\nname: \xff\n---\n")
    result = call_findings()
    assert len(json.dumps(result)) < 25_000
    assert len(list_findings(result)) == 4, "findings must come before unreadable units"
    error_count = sum(bool(unit["error"]) for unit in result["units"])
    assert error_count >= 20
    assert result["left_out"].startswith(f"not shown here: {1000 - error_count} units that cannot be checked;")


def test_settings_cannot_hide_problems_behind_notes(call_findings, project):
    (project / "tune-skill.toml").write_text(f"exclude = {[f'no{n}' for n in range(50)]}\n")
    result = call_findings(paths=[".", "gone"])
    assert result["notes"][0].startswith("gone: no such file or folder")
    assert result["notes"][-1] == "and 41 more notes"


def test_notes_are_limited(call_findings):
    result = call_findings(paths=["agents", *(f"gone{number}/{'x' * 400}" for number in range(30))])
    assert len(result["notes"]) == 11
    assert result["notes"][-1] == "and 20 more notes"
    assert max(map(len, result["notes"])) <= 201


def test_sessions_add_what_they_show_at_lines(call_findings, project, tmp_path, monkeypatch):
    command = "# Tally\n\n```bash\ntally birds --all\n```\n"
    (project / "commands" / "tally.md").write_text(command)
    command_call = user("<command-message>x</command-message>\n<command-name>/tally</command-name>")
    text = {"type": "text", "text": command}
    load_record = {"type": "user", "isMeta": True, "message": {"role": "user", "content": [text]}}
    records = [
        command_call,
        load_record,
        *make_messages(bash("tally birds --all", "Exit code 2\nno birds", error=True)),
    ]
    folder = tmp_path / "claude" / "projects" / "-birds"
    folder.mkdir(parents=True)
    lines = [json.dumps({"cwd": str(project), **record}) for record in records]
    (folder / "tally-of-the-birds.jsonl").write_text("\n".join(lines))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    assert list_findings(call_findings(paths=["commands"])) == []
    (unit,) = call_findings(paths=["commands"], sessions=True)["units"]
    (finding,) = unit["findings"]
    assert (finding["pattern"], finding["line"], finding["severity"]) == ("SES-001", 4, "medium")
    assert unit["score"] < 100


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS takes only names in UTF-8")
def test_text_that_utf_8_cannot_encode_hides_no_finding(call_findings, project):
    (project / ".mcp.json").write_text(r'{"mcpServers": {"tide": {"type": "fo\ud800o"}}}')
    folder = project / "skills" / os.fsdecode(b"ter\xffn")
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: tern\ndescription: Counts.\n---\n\nCount [it](gone.md).\n")
    result = call_findings()
    texts = [finding["problem"] for unit in result["units"] for finding in unit["findings"]]
    assert any("unknown type `fo\ufffdo`" in text for text in texts)
    assert any(unit["path"].endswith("ter\ufffdn") for unit in result["units"])
