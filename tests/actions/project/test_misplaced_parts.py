"""Test that a part of a plugin is misplaced only if nothing else loads, copies or replaces it."""

import json

import pytest

from actions.project.misplaced_parts import find_misplaced_parts
from tests.examples import make_project

MANIFEST = {".claude-plugin/plugin.json": '{"name": "birds"}'}
TEXT = "---\nname: count\ndescription: Counts birds.\n---\n\nCount.\n"
HOOKS = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/run.sh"}]}]}})
INSIDE = {".claude-plugin/hooks.json": HOOKS}
ENTRY = {"name": "birds", "source": "./", "commands": ["./.claude-plugin/commands"], "hooks": "./config/hooks.json"}
MARKET = {".claude-plugin/marketplace.json": json.dumps({"name": "m", "plugins": [ENTRY]})}


def list_misplaced(files):
    return [(part.path, part.expected, part.count) for part in find_misplaced_parts(make_project(MANIFEST | files))]


def test_units_inside_the_folder_of_manifests_are_misplaced():
    files = {f".claude-plugin/{name}": TEXT for name in ("agents/a.md", "agents/sub/b.md", "agents/README.md")}
    files |= {f".claude-plugin/{name}": TEXT for name in ("skills/count/SKILL.md", "skills/count/notes.md")}
    assert list_misplaced(files) == [
        (".claude-plugin/agents", "agents", 2),
        (".claude-plugin/skills", "skills", 1),
    ]


@pytest.mark.parametrize(
    "path", ["hooks.json", "config/hooks.json", ".claude-plugin/hooks.json", ".claude-plugin/hooks/hooks.json"]
)
def test_hooks_in_another_file_are_misplaced(path):
    assert list_misplaced({path: HOOKS}) == [(path, "hooks/hooks.json", 1)]
    assert list_misplaced({path: json.dumps(json.loads(HOOKS)["hooks"])}) == [(path, "hooks/hooks.json", 1)]


@pytest.mark.parametrize(
    "files",
    [
        {".claude-plugin/commands/a.md": TEXT, "commands/a.md": TEXT},
        {".claude-plugin/commands/a.md": TEXT, **MARKET},
        {".claude-plugin/agents/a.md": TEXT, ".claude-plugin/plugin.json": '{"name": "birds", "agents": []}'},
        {"config/hooks.json": HOOKS, **MARKET},
        {**INSIDE, "hooks/hooks.json": HOOKS},
        {**INSIDE, "scripts/install.sh": "jq .hooks .claude-plugin/hooks.json >> ~/.claude/settings.json\n"},
        {**INSIDE, ".claude-plugin/plugin.json": '{"name": "birds", "hooks": {}}'},
        {".claude-plugin/hooks.json": '{"hooks": {"before": []}}'},
        {"hooks.json": HOOKS.replace("CLAUDE_PLUGIN_ROOT", "CODEX_ROOT")},
        {"hooks.json": HOOKS, "bin/cli.js": 'read("hooks.json")\n'},
        {"hooks.json": HOOKS, ".codex-plugin/plugin.json": '{"hooks": "./hooks.json"}'},
        {"other/hooks.json": HOOKS},
    ],
)
def test_other_parts_are_left_alone(files):
    assert list_misplaced(files) == []


@pytest.mark.parametrize("path", ["tests/test_hooks.py", "src/check.py", ".codex-plugin/plugin.json"])
def test_hooks_inside_the_folder_of_manifests_are_misplaced_although_others_read_them(path):
    assert list_misplaced({**INSIDE, path: "hooks.json"}) == [(".claude-plugin/hooks.json", "hooks/hooks.json", 1)]


def test_hooks_file_that_only_a_test_reads_is_misplaced():
    assert list_misplaced({"hooks.json": HOOKS, "tests/test_hooks.py": "hooks.json"})
