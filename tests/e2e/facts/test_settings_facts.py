"""Test that Claude Code ignores unknown settings keys and drops the MCP servers that are reported."""

import re

import pytest

from actions.project.facts.settings import PERMISSIONS, SETTINGS
from actions.project.mcp_file import find_servers
from actions.project.server_faults import find_server_faults
from tests.claude_code import CLAUDE
from tests.e2e.facts.claude_cli import run_session, validate, write_tree
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
