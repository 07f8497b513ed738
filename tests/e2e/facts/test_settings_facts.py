"""Test that Claude Code ignores unknown settings keys and drops the MCP servers that are reported."""

import re

import pytest

from actions.project.env_values import find_unexpanded_values
from actions.project.facts.settings import PERMISSIONS, SETTINGS
from actions.project.find_units import find_units
from actions.project.mcp_file import find_servers
from actions.project.misused_servers import find_misused_servers
from actions.project.plugin_keys import find_invalid_plugin_keys
from actions.project.server_faults import find_server_faults
from actions.project.style_names import BUILT_IN_STYLES, find_unknown_style
from actions.project.unexpanded_homes import find_unexpanded_server_homes
from tests.claude_code import CLAUDE
from tests.e2e.facts.claude_cli import MCP_SERVER, manage_plugins, run_session, validate, write_tree
from tests.e2e.facts.test_unit_facts import MANIFEST, read_project

SERVERS = {
    "misspelled": {"comand": "npx"},
    "type": {"type": "htp", "url": "https://a.b"},
    "upper": {"type": "STDIO", "command": "npx"},
    "no url": {"type": "http"},
    "no type": {"url": "https://a.b"},
    "empty": {"type": "stdio", "command": ""},
    "other key": {"type": "sse", "command": "npx"},
    "list": {"command": ["npx"]},
    "args": {"command": "npx", "args": "x"},
    "number": {"command": "npx", "args": [1]},
    "env": {"command": "npx", "env": {"A": 1}},
    "env list": {"command": "npx", "env": []},
    "good": {"command": "npx", "args": ["x"], "env": {"A": "1"}, "disabled": True, "comand": "x"},
    "stdio": {"type": "stdio", "command": "npx"},
    "both": {"command": "npx", "url": "https://a.b"},
    "stream": {"type": "streamable-http", "url": "https://a.b"},
    "empty url": {"type": "http", "url": ""},
    "ws": {"type": "ws", "url": "wss://a.b"},
}


def test_servers_reported_are_those_that_claude_drops(tmp_path):
    files = {".claude-plugin/plugin.json": MANIFEST, ".mcp.json": {"mcpServers": SERVERS}}
    folder = write_tree(tmp_path / "probe", files)
    report = validate(folder, tmp_path)
    errors = [error["path"] for part in report["contents"] for error in part["errors"]]
    dropped_servers = {match[1] for path in errors if (match := re.match(r"mcpServers\.([\w ]+)", path))}
    project = read_project(folder)
    assert {fault.server for fault in find_server_faults(project)} == dropped_servers
    assert len(find_servers(project)) == len(SERVERS)


def test_servers_in_settings_are_not_started(tmp_path):
    servers = {"atlas": {"command": "python3", "args": ["server.py"]}}
    started = {}
    for path in (".claude/settings.json", ".mcp.json"):
        settings = {"enableAllProjectMcpServers": True}
        files = {".claude/settings.json": settings, path: {**settings, "mcpServers": servers}, "server.py": MCP_SERVER}
        project, start, _ = run_session(files, tmp_path / path)
        started[path] = [server["name"] for server in start["mcp_servers"]]
        assert bool(find_misused_servers(read_project(project))) == (not started[path])
    assert started == {".claude/settings.json": [], ".mcp.json": ["atlas"]}


def test_variables_of_an_editor_reach_the_server_as_text(tmp_path):
    words = ["${input:token}", "${env:HOME}", "${workspaceFolder}", "${HOME}", "${NONE:-none}"]
    files = {
        ".claude/settings.json": {"enableAllProjectMcpServers": True},
        ".mcp.json": {"mcpServers": {"atlas": {"command": "python3", "args": ["server.py", *words]}}},
        "server.py": MCP_SERVER.replace("\n", "\nopen('words', 'w').write(' '.join(sys.argv[1:]))\n", 1),
    }
    project, *_ = run_session(files, tmp_path)
    unreplaced = [word for word in (project / "words").read_text().split() if "$" in word]
    assert unreplaced == [misuse.variable for misuse in find_misused_servers(read_project(project))] == words[:3]


def test_servers_below_a_tilde_are_reported_if_and_only_if_they_do_not_start(tmp_path):
    program = write_tree(tmp_path, {"serve": f"#!/usr/bin/env python3\n{MCP_SERVER}"}) / "serve"
    program.chmod(0o755)
    servers = {
        "program": {"command": "~/serve"},
        "script": {"command": "python3", "args": ["~/serve"]},
        "shell": {"command": "bash", "args": ["-c", "~/serve"]},
        "variable": {"command": "${HOME}/serve"},
        "variable in args": {"command": "python3", "args": ["${HOME}/serve"]},
    }
    project, start, _ = run_session(
        {"probe.json": {"mcpServers": servers}}, tmp_path, lambda _: "ok", "--mcp-config", "probe.json"
    )
    status = {server["name"]: server["status"] for server in start["mcp_servers"]}
    assert status == {name: "failed" if name in ("program", "script") else "connected" for name in servers}
    (project / "probe.json").rename(project / ".mcp.json")
    read = read_project(project)
    homes = [home for unit in find_units(read) for home in find_unexpanded_server_homes(read, unit)]
    assert [home.intended for home in homes] == ["${HOME}/serve"] * 2


def test_misspelled_keys_of_settings_have_no_effect(tmp_path):
    settings = {"permissions": {"deny": ["WebFetch"], "denny": ["WebSearch"]}, "modle": "claude-haiku-4-5"}
    _, start, requests = run_session({".claude/settings.json": settings}, tmp_path)
    assert [name for name in ("WebFetch", "WebSearch") if name in start["tools"]] == ["WebSearch"]
    assert "haiku" not in requests[0]["model"]


@pytest.mark.parametrize(("settings", "is_read"), [("{ // mine\n%s}", False), ('{"model": "x", %s, %s}', True)])
def test_settings_with_a_comment_are_not_read_but_a_repeated_key_counts_once(tmp_path, settings, is_read):
    """So hooks in the second are active, and `uninstall` refuses a file that it cannot rewrite but may contain them."""
    text = settings.replace("%s", '"model": "claude-haiku-4-5"')
    _, _, requests = run_session({".claude/settings.json": text}, tmp_path)
    assert ("haiku" in requests[0]["model"]) == is_read


def test_keys_of_settings_are_those_of_the_schema():
    program = CLAUDE.read_bytes()
    texts_before_schemas = program.split(b":()=>")[:-1]  # One pass, because the program has 300 MB.
    keys = {match[0].decode() for text in texts_before_schemas if (match := re.search(rb"[$\w]+$", text[-80:]))}
    assert set(SETTINGS) - keys == set()
    assert [key for key in PERMISSIONS if f"{key}:".encode() not in program] == []


ENV = {
    "PROBE_A": "$HOME/x",
    "PROBE_B": "${HOME}/x",
    "PROBE_C": "/x:$PATH",
    "PROBE_D": "${CLAUDE_PROJECT_DIR}/x",
    "PROBE_E": "${PROBE_E}",
    "PROBE_PATH": "~/x",
}


def test_variables_in_values_of_env_are_not_replaced(tmp_path):
    hooks = {"SessionStart": [{"hooks": [{"type": "command", "command": "env | grep ^PROBE_ > seen"}]}]}
    files = {".claude/settings.json": {"env": ENV, "hooks": hooks}}
    project, _, _ = run_session(files, tmp_path, variables={"PROBE_E": "secret"})
    seen = dict(line.split("=", 1) for line in (project / "seen").read_text().splitlines())
    assert seen == ENV
    read = read_project(project)
    reported = [value.name for unit in find_units(read) for value in find_unexpanded_values(read, unit)]
    assert reported == [*ENV]


def test_path_with_a_variable_leaves_no_command(tmp_path):
    hooks = {"SessionStart": [{"hooks": [{"type": "command", "command": "touch $CLAUDE_PROJECT_DIR/ran"}]}]}
    settings = [{"env": {"PATH": path}, "hooks": hooks} for path in ("$HOME/bin:$PATH", "/usr/bin:/bin")]
    projects = [run_session({".claude/settings.json": value}, tmp_path / str(n))[0] for n, value in enumerate(settings)]
    assert [(project / "ran").exists() for project in projects] == [False, True]


STYLES = {
    ".claude/output-styles/brief.md": "---\nname: Terse Notes\ndescription: A.\n---\n\nBe brief.\n",
    ".claude/output-styles/sub/plain.md": "Be plain.\n",
}


@pytest.mark.parametrize(
    ("style", "is_known"),
    [
        ("Terse Notes", True),
        ("terse notes", False),
        ("brief", False),
        ("plain", True),
        ("Plain", False),
        ("explanatory", False),
        *((name, True) for name in BUILT_IN_STYLES[1:]),
    ],
)
def test_unknown_output_style_is_ignored(tmp_path, style, is_known):
    project, _, requests = run_session({".claude/settings.json": {"outputStyle": style}, **STYLES}, tmp_path)
    assert ("Output Style: " in str(requests[0])) == is_known
    read = read_project(project)
    assert any(find_unknown_style(read, unit) for unit in find_units(read)) != is_known


def test_keys_reported_in_enabled_plugins_enable_no_plugin(tmp_path):
    entry = {"name": "core", "source": "./core"}
    marketplace = {"name": "birds", "owner": {"name": "a"}, "plugins": [entry]}
    manifest = {"name": "core", "version": "1.0.0", "description": "A probe.", "author": {"name": "a"}}
    plugins = {".claude-plugin/marketplace.json": marketplace, "core/.claude-plugin/plugin.json": manifest}
    enabled = {}
    for n, key in enumerate(("core@birds", "birds/core", "birds:core", "core")):
        home = tmp_path / str(n)
        folder = write_tree(home / "project/plugins", plugins)
        manage_plugins(home, "marketplace", "add", folder)
        manage_plugins(home, "install", "core@birds")
        (home / ".claude/settings.json").write_text("{}")
        project, start, _ = run_session({".claude/settings.json": {"enabledPlugins": {key: True}}}, home)
        enabled[key] = "core" in [plugin["name"] for plugin in start["plugins"]]
        read = read_project(project)
        keys = [found for unit in find_units(read) for found in find_invalid_plugin_keys(read, unit)]
        assert [(found.name, found.known) for found in keys] == ([] if enabled[key] else [(key, "core@birds")])
    assert enabled == {"core@birds": True, "birds/core": False, "birds:core": False, "core": False}


def test_settings_and_agents_of_the_home_folder_are_those_of_every_project(tmp_path):
    files = {
        ".claude/settings.json": {"permissions": {"deny": ["WebFetch"]}, "outputStyle": "Terse Notes"},
        ".claude/agents/counter.md": "---\nname: counter\ndescription: A.\n---\n\nCount.\n",
        ".claude/commands/tally.md": "Tally.\n",
        **STYLES,
    }
    write_tree(tmp_path, files)
    _, start, requests = run_session({}, tmp_path)
    assert ("WebFetch" in start["tools"], "counter" in start["agents"], "tally" in start["slash_commands"]) == (
        False,
        True,
        True,
    )
    assert "Be brief." in str(requests[0])


def test_hooks_of_the_home_folder_start_files_of_the_home_folder(tmp_path):
    commands = ["sh ~/.claude/hooks/a.sh tilde", "$HOME/.claude/hooks/a.sh variable", "sh ~/.claude/hooks/b.sh gone"]
    hooks = {"SessionStart": [{"hooks": [{"type": "command", "command": command} for command in commands]}]}
    script = '#!/bin/sh\necho %s $1 >> "$CLAUDE_PROJECT_DIR/log"\n'
    write_tree(tmp_path, {".claude/settings.json": {"hooks": hooks}, ".claude/hooks/a.sh": script % "home"})
    (tmp_path / ".claude/hooks/a.sh").chmod(0o755)
    project, *_ = run_session({".claude/hooks/b.sh": script % "project"}, tmp_path)
    assert sorted((project / "log").read_text().splitlines()) == ["home tilde", "home variable"]
