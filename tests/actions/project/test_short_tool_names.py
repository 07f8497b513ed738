"""Test that a tool's name is short only if the agent's or the hook's own plugin starts the server."""

import json

import pytest

from actions.project.find_units import find_units
from actions.project.short_tool_names import find_in_matchers, find_in_tools
from actions.project.unit_record import read_unit_file
from tests.examples import make_project

SERVERS = json.dumps({"mcpServers": {"my atlas": {"command": "npx"}}})
PLUGIN = {".claude-plugin/plugin.json": '{"name": "bi.rds"}', ".mcp.json": SERVERS}
AGENT = "---\nname: counter\ndescription: Use: always\ntools: {0}\n---\n\nCount.\n"


def list_short(files):
    project = make_project(files)
    for unit in find_units(project):
        skill = read_unit_file(project, unit)
        found = find_in_tools(project, unit, skill) if skill and unit.path.endswith(".md") else None
        yield from [found] if found else find_in_matchers(project, unit)


@pytest.mark.parametrize(
    ("tools", "names", "instead"),
    [
        ("Read, mcp__my_atlas__find", ["mcp__my_atlas__find"], "mcp__plugin_bi_rds_my_atlas__find"),
        ("mcp__my_atlas__*", ["mcp__my_atlas__*"], "mcp__plugin_bi_rds_my_atlas__*"),
        ("[mcp__my_atlas, mcp__my_atlas__a]", ["mcp__my_atlas", "mcp__my_atlas__a"], "mcp__plugin_bi_rds_my_atlas"),
        ("mcp__my_atlas__a, mcp__plugin_bi_rds_my_atlas__a", [], ""),
        ("mcp__my__find, mcp__my_atlas_2__find", [], ""),
        ("Read", [], ""),
    ],
)
def test_tools_of_an_agent(tools, names, instead):
    found = [*list_short({**PLUGIN, "agents/counter.md": AGENT.format(tools)})]
    assert [name for short in found for name in short.names] == names
    assert [(short.line, short.instead) for short in found] == [(4, instead)] * bool(names)


@pytest.mark.parametrize(
    ("matcher", "count"),
    [
        ("mcp__my_atlas__find", 1),
        ("Write|mcp__my_atlas__.*", 1),
        ("mcp__my_atlas__.*|mcp__plugin_bi_rds_my_atlas__.*", 0),
        ("mcp__.*my_atlas__find", 0),
        ("mcp__.*", 0),
    ],
)
def test_matchers_of_hooks(matcher, count):
    hooks = {"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [{"type": "command", "command": "true"}]}]}}
    assert len([*list_short({**PLUGIN, "hooks/hooks.json": json.dumps(hooks)})]) == count
    assert not [*list_short({**PLUGIN, ".claude/settings.json": json.dumps(hooks)})]


@pytest.mark.parametrize(
    "files",
    [
        {".claude/agents/counter.md": AGENT.format("mcp__my_atlas__find"), ".mcp.json": SERVERS},
        {**PLUGIN, ".claude/agents/counter.md": AGENT.format("mcp__my_atlas__find")},
        {
            "a/.claude-plugin/plugin.json": "{}",
            "b/.claude-plugin/plugin.json": "{}",
            "a/.mcp.json": SERVERS,
            "b/agents/counter.md": AGENT.format("mcp__my_atlas__find"),
        },
    ],
)
def test_server_of_another_plugin_or_of_the_project_is_left_alone(files):
    assert [*list_short(files)] == []
