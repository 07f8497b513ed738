"""Test the entry of the MCP server that `install` writes and `uninstall` removes."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.orchestrator.cli.claude_code.conftest import list_changes, read_tree

SERVER_FILE = Path(".mcp.json")
ROOT = str(Path(__file__).parents[4])


def test_uninstall_restores_the_server_file_byte_for_byte(tune, project):
    servers_of_user = '{"mcpServers":{"mine":{"command":"gulls"}},   "more": 1}'
    SERVER_FILE.write_text(servers_of_user)
    backup_of_user = shutil.copy(SERVER_FILE, ".mcp.json.backup-mine")
    tune("install")
    assert set(json.loads(SERVER_FILE.read_text())["mcpServers"]) == {"mine", "tune-skill"}
    assert json.loads(SERVER_FILE.read_text())["more"] == 1
    assert list_changes(tune("uninstall", "--json"))[-1] == ("restored", ".mcp.json")
    assert SERVER_FILE.read_text() == servers_of_user
    assert list(SERVER_FILE.parent.glob(".mcp.json.backup-*")) == [Path(backup_of_user)]


def test_entry_of_the_user_is_kept_and_named(tune, project):
    entry = {"command": "tune-skill", "args": ["mcp"], "env": {"ANTHROPIC_API_KEY": "sk-mine"}, "timeout": 5}
    SERVER_FILE.write_text(json.dumps({"mcpServers": {"tune-skill": entry}}, indent=4))
    before = read_tree(project)
    printed = " ".join(tune("install").out.split())
    assert "keeps what you added: env ANTHROPIC_API_KEY, timeout" in printed
    assert "sk-mine" not in printed
    new_entry = json.loads(SERVER_FILE.read_text())["mcpServers"]["tune-skill"]
    assert (new_entry["env"], new_entry["timeout"]) == (entry["env"], 5)
    assert list_changes(tune("uninstall", "--json"))[-1] == ("restored", ".mcp.json")
    assert read_tree(project) == before
    assert "stays, because there is no note that your `install` wrote it" in tune("uninstall").out
    assert read_tree(project) == before


def test_uninstall_keeps_servers_added_later(tune, project):
    SERVER_FILE.write_text("{}")
    tune("install")
    servers = json.loads(SERVER_FILE.read_text())
    servers["mcpServers"]["mine"] = {"command": "gulls"}
    SERVER_FILE.write_text(json.dumps(servers))
    tune("uninstall")
    assert json.loads(SERVER_FILE.read_text()) == {"mcpServers": {"mine": {"command": "gulls"}}}


def test_uninstall_of_the_user_keeps_changes_by_claude_code(tune, project):
    """Only ~/.claude.json remains, because Claude Code has changed it meanwhile, as it does at each start."""
    config = Path(os.environ["HOME"], ".claude.json")
    config.write_text('{\n  "numStartups": 1,\n  "mcpServers": {}\n}')
    tune("install", "--user")
    config.write_text(config.read_text().replace('"numStartups": 1', '"numStartups": 2').rstrip())
    tune("uninstall", "--user")
    assert config.read_text() == '{\n  "numStartups": 2,\n  "mcpServers": {}\n}'
    assert list(config.parent.glob(".claude.json?*")) == []


@pytest.mark.parametrize("text", [
    '{"mcpServers": {"tune-skill": {"command": "guitar"}}}', '{"mcpServers": {"tune-skill": {"command": "x", "args": 5}}}', '{"mcpServers": []}', "{ // mine\n}", "[]",
])  # fmt: skip
def test_install_refuses_a_foreign_server_or_bad_file(tune, project, text):
    SERVER_FILE.write_text(text)
    before = read_tree(project)
    result = tune("install", "--hooks")
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert ".mcp.json" in result.err
    assert read_tree(project) == before
