"""Test rendering the slash command and its agent."""

import re
import shlex

import pytest
import yaml

from orchestrator.engine.scan import scan_units
from orchestrator.engine.units import ScanOptions
from orchestrator.installation.skill import (
    PLUGIN_PREFIX,
    READ_ONLY_TOOLS,
    SERVER_PREFIX,
    SUBCOMMANDS,
    TOOLS,
    render_judge,
    render_skill,
)
from orchestrator.servers.mcp import tools

COMMANDS = [["tune-skill"], ["/opt/it's 工具/bin/tune-skill"], ["/usr/bin/python3", "/a b/tune_skill.py"]]


def parse_frontmatter(text):
    return yaml.safe_load(text.split("---\n")[1])


@pytest.mark.parametrize("command", COMMANDS)
def test_skill_passes_its_own_diagnosis(tmp_path, command):
    folder = tmp_path / "tune-skill"
    folder.mkdir()
    (folder / "SKILL.md").write_bytes(render_skill(command, "0.1.0"))
    (row,) = scan_units([str(folder)], ScanOptions((), ()), 1)
    assert (row.score, row.issues) == (100, ())


@pytest.mark.parametrize("command", COMMANDS)
def test_skill_allows_only_what_it_names(command):
    text = render_skill(command, "0.1.0").decode()
    command_line = shlex.join(command)
    allowed_tools = parse_frontmatter(text)["allowed-tools"].split(", ")
    tools = [f"{SERVER_PREFIX}{name}" for name in TOOLS]
    assert allowed_tools == [*(f"Bash({command_line} {name}:*)" for name in SUBCOMMANDS), "AskUserQuestion", *tools]
    # Claude Code asks the user before it calls these tools.
    assert set(re.findall(rf"{SERVER_PREFIX}(\w+)", text)) - set(TOOLS) == {"rollback"}
    lines = [line for block in re.findall(r"```\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    assert lines
    assert {line.removeprefix(f"{command_line} ").split()[0] for line in lines} == set(SUBCOMMANDS)


def test_arguments_of_the_user_are_in_no_command():
    text = render_skill(["tune-skill"], "0.1.0").decode()
    assert text.count("$ARGUMENTS") == 1
    assert "<arguments>\n$ARGUMENTS\n</arguments>" in text
    assert not re.search(r"(^|\s)!`", text), "a command would run before the model reads the skill"
    assert not re.search(r"\$\d", text)


def test_missing_program_is_reported_in_one_line():
    text = render_skill(["tune-skill"], "0.1.0").decode()
    (line,) = [line for line in text.splitlines() if "is not installed" in line]
    assert "uv tool install" in line


@pytest.mark.parametrize("prefix", [SERVER_PREFIX, PLUGIN_PREFIX])
def test_judge_agent_has_only_three_tools(prefix):
    frontmatter = parse_frontmatter(render_judge("0.1.0", prefix).decode())
    assert frontmatter["name"] == "skill-judge"
    assert frontmatter["tools"] == f"{prefix}question, {prefix}look, {prefix}answer"


def test_plugin_uses_its_own_tool_names():
    text = render_skill(["tune-skill"], "0.1.0", PLUGIN_PREFIX).decode()
    assert SERVER_PREFIX not in text.replace(PLUGIN_PREFIX, "")
    assert "Agent type `tune-skill:skill-judge`" in " ".join(text.split())


def test_offered_permission_rules_name_the_read_only_tools():
    assert sorted(READ_ONLY_TOOLS) == sorted(tool.name for tool in tools.TOOLS if tool.reads_only)
