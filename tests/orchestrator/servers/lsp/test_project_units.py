"""Test an editor session on agents, hooks and other units, including unsaved changes in their project."""

import json
import os
from pathlib import Path

import pytest
from lsprotocol import types

from actions.code.languages import EXTENSIONS
from actions.session.example import bash, use
from orchestrator.servers.lsp.language_server import PROJECT_FILES
from tests.examples import make_messages

AGENT = "---\nname: {0}\ndescription: Watches.\n---\n\nWatch the shore.\n"
AGENT_WITH_FAULT = AGENT.format("watcher").replace("---\n\n", "permissionMode: plan\n---\n\n")
HOOKS = json.dumps(
    {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bash ${CLAUDE_PLUGIN_ROOT}/check.sh"}]}]}}
)
SKILL = "---\nname: count\ndescription: Counts birds. Use when birds are counted.\n---\n\nCount each bird once.\n"
FILES = {
    ".claude-plugin/plugin.json": '{"name": "birds"}\n',
    "agents/watcher.md": AGENT_WITH_FAULT,
    "agents/zoe.md": AGENT.format("zoe"),
    "hooks/hooks.json": HOOKS,
    "skills/count/SKILL.md": SKILL,
    "README.md": "[gone](gone.md)\n",
}


@pytest.fixture
def plugin(project):
    """Return a plugin in its own repository."""
    folder = project / "birds"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_file_that_is_not_a_unit_shows_nothing(editor, plugin):
    for path in (plugin / "README.md", plugin.parent / "notes.md"):
        editor.open(path, "[gone](gone.md)\n")
        assert path.as_uri() not in editor.diagnostics


def test_agent_is_scanned_while_it_is_typed(editor, plugin):
    agent = plugin / "agents/watcher.md"
    editor.open(agent)
    assert editor.list_findings(agent) == [("PRJ-004", 3)]
    assert "PRJ-004" in editor.hover(agent, 3).contents.value
    editor.change(agent, AGENT.format("watcher"))
    editor.wait_until(lambda: editor.list_findings(agent) == [])
    editor.close(agent)


def test_comment_ignores_a_finding_of_an_agent(editor, plugin):
    agent = plugin / "agents/watcher.md"
    editor.open(agent)
    assert [action.title for action in editor.list_actions(agent, 3)] == ["PRJ-004: ignore here"]


def test_new_script_clears_the_finding_of_a_hook(editor, plugin):
    hooks = plugin / "hooks/hooks.json"
    editor.open(hooks)
    assert editor.list_findings(hooks) == [("PRJ-003", 0)]
    (plugin / "check.sh").write_text("#!/bin/sh\n")
    editor.report_changed_files(plugin / "check.sh")
    editor.wait_until(lambda: editor.list_findings(hooks) == [])
    assert str(plugin) in {registration.id for registration in editor.registrations}


@pytest.mark.parametrize("extension", sorted({".md", ".json", *EXTENSIONS}))
def test_files_in_parsed_languages_are_watched(extension):
    assert extension.removeprefix(".") in PROJECT_FILES.partition("{")[2].removesuffix("}").split(",")


def test_save_of_another_file_scans_open_units(editor, plugin):
    first_agent, second_agent = plugin / "agents/watcher.md", plugin / "agents/zoe.md"
    first_agent.write_text(AGENT.format("watcher"))
    editor.open(first_agent)
    editor.open(second_agent)
    assert editor.list_findings(second_agent) == []
    first_agent.write_text(AGENT.format("zoe"))
    editor.change(first_agent, AGENT.format("zoe"))
    editor.save(first_agent)
    editor.wait_until(lambda: editor.list_findings(second_agent) == [("PRJ-014", 1)])
    editor.change(first_agent, AGENT.format("else"), 3)
    editor.wait_for_messages(first_agent)
    editor.change(second_agent, AGENT.format("zoe") + "More.\n")
    editor.wait_until(lambda: editor.list_findings(second_agent) == [])  # The unsaved text of the other file is used.


def test_excluded_unit_shows_nothing(editor, plugin):
    agent, main = plugin / "agents/watcher.md", plugin / "skills/count/SKILL.md"
    (plugin / "tune-skill.toml").write_text('exclude = ["agents/", "skills/"]\n')
    editor.open(agent)
    editor.open(main, SKILL + "\n[gone](gone.md)\n")
    assert agent.as_uri() not in editor.diagnostics
    assert main.as_uri() not in editor.diagnostics
    (plugin / "tune-skill.toml").unlink()
    editor.save(agent)
    assert editor.list_findings(agent) == [("PRJ-004", 3)]


def test_quick_fix_changes_a_hooks_file_in_a_run(editor, plugin):
    hooks = plugin / "hooks/hooks.json"
    hooks.write_text(
        '{\n  "hooks": {\n    "PreToolUes": [{"hooks": [{"type": "command", "command": "true"}]}]\n  }\n}\n'
    )
    editor.open(hooks)
    assert editor.list_findings(hooks) == [("PRJ-001", 2)]
    editor.change(hooks, hooks.read_text() + "\n")
    (fix,) = editor.list_actions(hooks, 2)
    assert fix.title.endswith("; save first)")
    assert not editor.execute(fix.command)["applied"]
    editor.change(hooks, hooks.read_text(), 3)
    (fix,) = editor.list_actions(hooks, 2)
    assert "with `PreToolUse`" in fix.title
    assert editor.execute(fix.command)["applied"], editor.messages
    assert '"PreToolUse"' in hooks.read_text()


def test_sessions_give_hints_at_lines(editor, project):
    skill = project / ".claude" / "skills" / "tern" / "SKILL.md"
    text = SKILL.replace("name: count", "name: tern") + "\n```bash\ntern count --all\n```\n"
    skill.parent.mkdir(parents=True)
    skill.write_text(text)
    (project / ".git").mkdir()
    body = f"Base directory for this skill: {skill.parent}\n\n" + text.partition("---\n\n")[2]
    load_record = {
        "type": "user",
        "isMeta": True,
        "message": {"role": "user", "content": [{"type": "text", "text": body}]},
    }
    folder = Path(editor.env["HOME"], ".claude", "projects", "-terns")
    folder.mkdir(parents=True)
    for name in ("first-of-the-terns", "second-of-the-terns"):
        records = [
            load_record,
            *make_messages(bash("tern count --all", "Exit code 2\nno terns", error=True), prefix=name),
        ]
        lines = [json.dumps({"cwd": str(project), **record}) for record in records]
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
    editor.open(skill)
    line = text.split("\n").index("tern count --all")
    editor.wait_until(lambda: editor.list_findings(skill) == [("SES-001", line)])
    (diagnostic,) = editor.diagnostics[skill.as_uri()]
    assert diagnostic.severity is types.DiagnosticSeverity.Hint
    assert "failed in 2 of 2 runs" in diagnostic.message
    editor.change(skill, text.replace("Count each", "\n\nCount each"))
    editor.wait_until(lambda: editor.list_findings(skill) == [("SES-001", line + 2)])
    editor.close(skill)


def test_sessions_give_hints_at_lines_of_an_agent(editor, project):
    agent = project / ".claude" / "agents" / "watcher.md"
    text = AGENT.format("watcher") + "\n```bash\ntern count --all\n```\n"
    agent.parent.mkdir(parents=True)
    agent.write_text(text)
    os.utime(agent, (0, 0))
    (project / ".git").mkdir()
    folder = Path(editor.env["HOME"], ".claude", "projects", "-terns")
    for name in ("first", "second"):
        main_records = make_messages(use("Task", f"Seen. agentId: a{name}", subagent_type="watcher"), prefix=f"t{name}")
        sub_agent_records = make_messages(
            bash("tern count --all", "Exit code 2\nno terns", error=True), prefix=f"s{name}"
        )
        common_fields = {"cwd": str(project), "timestamp": "2026-01-01T00:00:00Z", "sessionId": name}
        for path, records in {
            f"{name}.jsonl": main_records,
            f"{name}/subagents/agent-a{name}.jsonl": sub_agent_records,
        }.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text("\n".join(json.dumps({**common_fields, **record}) for record in records))
    editor.open(agent)
    line = text.split("\n").index("tern count --all")
    editor.wait_until(lambda: ("SES-001", line) in editor.list_findings(agent))
