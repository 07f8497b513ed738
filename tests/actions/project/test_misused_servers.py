"""Test which MCP servers in settings, and which variables of VS Code, another program may need."""

import json

import pytest

from actions.project.misused_servers import find_misused_servers
from actions.project.project import Project, ProjectFile

SERVERS = {"mcpServers": {"atlas": {"command": "npx", "env": {"TOKEN": "x"}}}}


def list_misuses(path, value, files=()):
    texts = {path: json.dumps(value), **dict(files)}
    entries = {path: ProjectFile(path, len(text)) for path, text in sorted(texts.items())}
    return find_misused_servers(Project("p", entries, lambda path: texts[path].encode()))


@pytest.mark.parametrize(
    ("files", "is_shared"),
    [
        ({}, False),
        ({"sync.py": 'json.loads(read("settings.json"))["mcpServers"]\n'}, True),
        ({"sync.py": 'json.loads(read("servers.json"))["mcpServers"]\n'}, False),
        ({"README.md": "The mcpServers are in settings.json.\n"}, False),
        ({".mcp.json": json.dumps(SERVERS)}, True),
        ({".mcp.json": '{"mcpServers": {"other": {"command": "npx"}}}'}, False),
    ],
)
@pytest.mark.parametrize("path", [".claude/settings.json", ".claude/settings.local.json"])
def test_servers_in_settings_are_shared_if_another_file_has_or_reads_them(path, files, is_shared):
    assert [misuse.is_shared for misuse in list_misuses(path, SERVERS, files)] == [is_shared]


@pytest.mark.parametrize(
    ("path", "advice"),
    [
        (".claude/settings.json", "Move the servers to `.mcp.json`."),
        ("config/settings.json", "Add each with `claude mcp add --scope user`."),
    ],
)
def test_servers_of_a_user_are_added_by_command(path, advice):
    value = {**SERVERS, "permissions": {"allow": ["Read"]}}
    guide = {"README.md": "Copy `config/settings.json` to `~/.claude`.\n"}
    assert [misuse.problem.endswith(advice) for misuse in list_misuses(path, value, guide)] == [True]


@pytest.mark.parametrize(
    "value", [{"mcpServers": {}}, {"mcpServers": {"_comment": "None yet."}}, {"mcpServers": []}, []]
)
def test_settings_without_servers_have_no_fault(value):
    assert not list_misuses(".claude/settings.json", value)


@pytest.mark.parametrize(
    ("variable", "advice"),
    [
        ("${input:github-token}", "Write `${GITHUB_TOKEN}`."),
        ("${env:apiKey}", "Write `${apiKey}`."),
        ("${workspaceFolder}", "It starts servers in the project's folder, so write a relative path."),
    ],
)
@pytest.mark.parametrize(
    "entry", [{"env": {"A": "%s"}}, {"args": ["-a", "%s/x"]}, {"command": "%s"}, {"url": "%s/mcp"}]
)
def test_variable_of_an_editor_is_reported(variable, advice, entry):
    value = {"mcpServers": {"atlas": json.loads(json.dumps(entry) % variable)}}
    (misuse,) = list_misuses(".mcp.json", value)
    assert misuse.variable == variable
    assert misuse.problem.endswith(advice)
    assert not misuse.is_shared


def test_file_with_inputs_is_shared_with_an_editor():
    value = {"inputs": [{"id": "token"}], "mcpServers": {"atlas": {"command": "npx", "args": ["${input:token}"]}}}
    assert [misuse.is_shared for misuse in list_misuses(".mcp.json", value)] == [True]
