"""Plan the changes that add the MCP server to a configuration of Claude Code, or remove it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from orchestrator.errors import Refused
from orchestrator.fs.durable import encode_indented
from orchestrator.installation.changes import Change, choose_backup_name, resolve_target
from orchestrator.installation.command import NAME, is_own_command
from orchestrator.installation.settings import Settings, may_contain, plan_restore, read_settings

_SERVERS_KEY = "mcpServers"


def build_server_entry(command: Sequence[str]) -> Settings:
    """Build the configuration entry with the command that starts the server."""
    first, *rest = command
    return {"type": "stdio", "command": first, "args": [*rest, "mcp"], "env": {}}


def plan_install(path: Path, command: Sequence[str]) -> list[Change]:
    """Plan the addition of the server to the configuration at `path`. Returns [] if it is already there.

    Raises Refused if another server has the same name, or if the file is not a plain JSON object.
    """
    real_path, before, old = read_settings(resolve_target(path))
    servers = _get_servers(real_path, old)
    if servers.get(NAME) == build_server_entry(command):
        return []
    if NAME in servers and not _is_own_server(servers[NAME]):
        raise Refused(f"{path} has a server {NAME} that tune-skill did not write; nothing was changed")
    new = {**old, _SERVERS_KEY: {**servers, NAME: build_server_entry(command)}}
    backup = choose_backup_name(real_path) if before is not None and NAME not in servers else None
    return [Change(real_path, before, encode_indented(new), f"MCP server {NAME}", backup)]


def plan_uninstall(path: Path) -> list[Change]:
    """Plan the removal of the server from the configuration at `path`. Returns [] if it is not there.

    The file is restored byte for byte if it has no other changes since the installation. Raises Refused if the file may
    have the server of tune-skill, but is not a plain JSON object.
    """
    if not may_contain(path, [json.dumps(NAME)]):
        return []
    real_path, before, old = read_settings(path)
    if not _is_own_server(_get_servers(real_path, old).get(NAME)):
        return []
    new = _remove_own_server(real_path, old)
    return plan_restore(real_path, before, new, f"MCP server {NAME} removed", _normalize_backup)


def _get_servers(path: Path, config: Settings) -> Settings:
    servers = config.get(_SERVERS_KEY, {})
    if not isinstance(servers, dict):
        raise Refused(f"{path}: {_SERVERS_KEY} is not an object; fix it first, nothing was changed")
    return servers


def _remove_own_server(path: Path, config: Settings) -> Settings:
    """Return a configuration without the server of tune-skill, and without `mcpServers` if it was the only one."""
    others = {name: server for name, server in _get_servers(path, config).items() if name != NAME}
    return {
        key: others if key == _SERVERS_KEY else value for key, value in config.items() if key != _SERVERS_KEY or others
    }


def _is_own_server(server: Any) -> bool:
    """Return whether any version of tune-skill wrote the configuration of a server."""
    args = server.get("args") or [] if isinstance(server, dict) else None
    words = [server["command"], *args] if isinstance(args, list) and "command" in server else []
    if not words or not all(isinstance(word, str) for word in words):
        return False
    return words[-1] == "mcp" and is_own_command(words[:-1])


def _normalize_backup(path: Path, config: Settings) -> Settings | None:
    """Return a configuration without an empty `mcpServers`, or None if it has the server of tune-skill."""
    return None if NAME in _get_servers(path, config) else _remove_own_server(path, config)
