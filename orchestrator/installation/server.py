"""Our MCP server in a configuration of Claude Code: put in, taken out, and nobody else's touched."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from orchestrator.errors import Refused
from orchestrator.fs.durable import encode_indented
from orchestrator.installation.changes import Change, backup_name, find_backups, resolve_target
from orchestrator.installation.command import NAME, is_own_command
from orchestrator.installation.settings import Settings, is_same_json, read_settings

_KEY = "mcpServers"


def server_entry(command: Sequence[str]) -> Settings:
    """Return what starts the server."""
    first, *rest = command
    return {"type": "stdio", "command": first, "args": [*rest, "mcp"], "env": {}}


def plan_install(path: Path, command: Sequence[str]) -> list[Change]:
    """Return the change that puts the server into the configuration at `path`; [] when it stands there.

    Raises Refused where another server has its name, and where the file is no plain JSON object.
    """
    real, before, old = read_settings(resolve_target(path))
    servers = _servers(real, old)
    if servers.get(NAME) == server_entry(command):
        return []
    if NAME in servers and not _is_ours(servers[NAME]):
        raise Refused(f"{path}: a server {NAME} stands there that tune-skill did not write; nothing was changed")
    new = {**old, _KEY: {**servers, NAME: server_entry(command)}}
    backup = backup_name(real) if before is not None and NAME not in servers else None
    return [Change(real, before, encode_indented(new), f"the MCP server {NAME}", backup)]


def plan_uninstall(path: Path) -> list[Change]:
    """Return the change that takes the server out; [] when none of ours stands there.

    The bytes that stood there before come back, unless something else was changed since. Raises Refused as above.
    """
    real, before, old = read_settings(path)
    if not _is_ours(_servers(real, old).get(NAME)):
        return []
    new, told = _without(real, old), f"the MCP server {NAME} is out"
    for backup in find_backups(real):
        if _holds(backup, new):
            return [Change(real, before, backup.read_bytes(), f"{told}; as it was before, to the byte", spent=backup)]
    if not new:
        return [Change(real, before, None, f"{told}, and nothing else stood in it")]
    return [Change(real, before, encode_indented(new), told, backup_name(real))]


def _servers(path: Path, config: Settings) -> Settings:
    servers = config.get(_KEY, {})
    if not isinstance(servers, dict):
        raise Refused(f"{path}: its {_KEY} is no object; fix it by hand, nothing was changed")
    return servers


def _without(path: Path, config: Settings) -> Settings:
    """Return a configuration without our server, and without the empty object that stays then."""
    kept = {name: one for name, one in _servers(path, config).items() if name != NAME}
    return {key: kept if key == _KEY else value for key, value in config.items() if key != _KEY or kept}


def _is_ours(one: Any) -> bool:
    words = [one.get("command"), *(one.get("args") or [])] if isinstance(one, dict) else []
    if not words or not all(isinstance(word, str) for word in words):
        return False
    return words[-1] == "mcp" and is_own_command(words[:-1])


def _holds(backup: Path, config: Settings) -> bool:
    """Return whether a backup says the same as `config`, and holds no server of ours."""
    try:
        real, _, kept = read_settings(backup)
        return NAME not in _servers(real, kept) and is_same_json(_without(real, kept), config)
    except Refused:
        return False
