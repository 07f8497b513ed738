"""The table of hook events is that of Claude Code."""

from actions.project.facts.hooks import EVENTS
from tests.e2e.facts.claude_cli import list_warnings, validate, write_tree

MANIFEST = {"name": "probe", "version": "1.0.0", "description": "A probe.", "author": {"name": "a"}}


def ask_about_events(tmp_path, events):
    hooks = {event: [{"hooks": [{"type": "command", "command": "true"}]}] for event in events}
    write_tree(tmp_path / "probe", {".claude-plugin/plugin.json": MANIFEST, "hooks/hooks.json": {"hooks": hooks}})
    return validate(tmp_path / "probe", tmp_path)


def test_claude_knows_each_event_of_the_table(tmp_path):
    report = ask_about_events(tmp_path, EVENTS)
    assert list_warnings(report) == []
    assert {hook["event"] for hook in report["provides"]["hooks"]} == set(EVENTS)


def test_claude_ignores_events_outside_the_table(tmp_path):
    report = ask_about_events(tmp_path, ["PreTool", "stop", "Stop"])
    assert {hook["event"] for hook in report["provides"]["hooks"]} == {"Stop"}
    assert [w.split(":")[0] for w in list_warnings(report)] == ["hooks.PreTool", "hooks.stop"]
