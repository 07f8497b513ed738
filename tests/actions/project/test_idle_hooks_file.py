"""Test that hooks.json in `.claude` is reported only if it has hooks that nothing else registers."""

import json

import pytest

from actions.project.hook_faults import find_dropped_hooks
from actions.project.hooks_file import find_hooks
from actions.project.project import Project, ProjectFile

PATH, SETTINGS = ".claude/hooks/hooks.json", ".claude/settings.json"
PATHS = (PATH, ".claude/hooks.json")


def make_hooks(command):
    return json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})


HOOKS = make_hooks("bash .claude/hooks/check.sh")


def make_project(files):
    entries = {path: ProjectFile(path, len(text)) for path, text in sorted(files.items())}
    return Project("p", entries, lambda path: files[path].encode())


def list_unread(files):
    return [fault.unit.path for fault in find_dropped_hooks(make_project(files)) if fault.is_unread]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {SETTINGS: "{}"},
        {SETTINGS: make_hooks("echo Next.js")},
        {"README.md": "Hooks are in .claude/hooks/hooks.json.\n"},
        {"sub/.claude/settings.json": HOOKS},
    ],
)
@pytest.mark.parametrize("path", PATHS)
def test_file_that_nothing_else_registers_is_reported(path, files):
    assert list_unread({path: HOOKS, **files}) == [path]


@pytest.mark.parametrize(
    "files",
    [
        {SETTINGS: HOOKS},
        {SETTINGS: make_hooks("$CLAUDE_PROJECT_DIR/.claude/hooks/check.sh")},
        {".claude/settings.local.json": HOOKS},
        {".claude-plugin/plugin.json": '{"name": "birds"}'},
        {".claude/.claude-plugin/plugin.json": '{"name": "birds"}'},
        {"install.py": 'merge(read("hooks/hooks.json"))\n'},
        {"README.md": "Run `claude --plugin-dir .claude`.\n"},
    ],
)
@pytest.mark.parametrize("path", PATHS)
def test_file_that_is_used_is_not_reported(path, files):
    assert not list_unread({path: HOOKS, **files})


@pytest.mark.parametrize("text", ['{"hooks": []}', '{"hooks": {"pre-commit": []}}', "{"])
@pytest.mark.parametrize("path", PATHS)
def test_file_without_hooks_is_not_reported(path, text):
    assert not list_unread({path: text})


def test_hooks_of_an_unread_file_are_not_checked():
    assert not find_hooks(make_project({PATH: make_hooks("bash $CLAUDE_PROJECT_DIR/missing.sh")}))


def test_plugin_with_the_name_of_the_file_is_read():
    files = {".claude-plugin/plugin.json": '{"name": "hooks/hooks.json"}', "hooks/hooks.json": HOOKS}
    assert not list_unread(files)
    assert find_hooks(make_project(files))
