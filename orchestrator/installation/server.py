"""Plan the changes that add the MCP server to a configuration of Claude Code, or remove it."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from orchestrator.errors import Refused
from orchestrator.fs.durable import encode_indented
from orchestrator.installation.changes import Change, choose_backup_name, find_backups, resolve_target
from orchestrator.installation.command import NAME, is_own_command
from orchestrator.installation.created import find_digest, was_created, was_written, was_written_anywhere
from orchestrator.installation.settings import Settings, may_contain, plan_restore, read_settings

_SERVERS_KEY = "mcpServers"


def build_server_entry(command: Sequence[str]) -> Settings:
    """Build the configuration entry with the command that starts the server."""
    first, *rest = command
    return {"type": "stdio", "command": first, "args": [*rest, "mcp"], "env": {}}


def plan_install(path: Path, command: Sequence[str]) -> list[Change]:
    """Plan the addition of the server to the configuration at `path`. Returns [] if it is already there.

    An entry that starts tune-skill keeps its `env` and all other keys. Raises Refused if another server has the same
    name, or if the file is not a plain JSON object.
    """
    real_path, before, old = read_settings(resolve_target(path))
    servers = _get_servers(real_path, old)
    entry = servers.get(NAME)
    if NAME in servers and not _is_own_server(entry):
        raise Refused(f"{path} has a server {NAME} that tune-skill did not write; nothing was changed")
    new_entry = build_server_entry(command) if entry is None else _replace_command(entry, command)
    if entry is not None and _fill_defaults(entry) == new_entry:
        return []
    new = {**old, _SERVERS_KEY: {**servers, NAME: new_entry}}
    needs_backup = before is not None and (entry is None or _find_entry_of_user(real_path, entry) == entry)
    backup = choose_backup_name(real_path) if needs_backup else None
    return [Change(real_path, before, encode_indented(new), f"MCP server {NAME}", backup, is_noted=True)]


def plan_uninstall(path: Path) -> list[Change]:
    """Plan the removal of the server from the configuration at `path`. Returns [] if it is not there.

    An entry that the user had before the installation is brought back, and an entry that `install` did not write stays.
    The file is restored byte for byte if it has no other changes since the installation. If the user extended our
    entry, a backup keeps it. Raises Refused if the file may have the server of tune-skill, but is not a plain JSON
    object.
    """
    if not may_contain(path, [json.dumps(NAME)]):
        return []
    real_path, before, old = read_settings(path)
    entry = _get_servers(real_path, old).get(NAME)
    if entry is None or not _is_own_server(entry):
        return []
    entry_of_user = _find_entry_of_user(real_path, entry)
    if entry_of_user == entry:
        return []
    new = _remove_own_server(real_path, old)
    subject = f"MCP server {NAME} removed"
    if entry_of_user is not None:
        new = {**old, _SERVERS_KEY: {**_get_servers(real_path, old), NAME: entry_of_user}}
        subject = f"MCP server {NAME} as you had it"
    (change,) = plan_restore(real_path, before, new, subject, partial(_normalize_backup, entry_of_user=entry_of_user))
    return [_keep_extended_entries(change, entry, entry_of_user)]


def list_kept_keys(path: Path) -> list[str]:
    """Return the environment variables and keys in our entry at `path` that tune-skill did not write.

    Returns [] if there is no such entry, or if the file is not a plain JSON object.
    """
    entry = _read_entry(path) or {}
    env = entry.get("env")
    variables = [f"env {name}" for name in env] if isinstance(env, dict) else []
    return [*variables, *(key for key in entry if key not in build_server_entry([NAME]))]


def explain_kept_server(path: Path) -> str | None:
    """Return why `uninstall` leaves the entry at `path`, or None if it removes it or there is none."""
    entry = _read_entry(path)
    if entry is None or plan_uninstall(path):
        return None
    return "it is committed in git" if _is_committed(path, entry) else "there is no note that your `install` wrote it"


def _replace_command(entry: Settings, command: Sequence[str]) -> Settings:
    """Return an entry of the server with another command, and with all its other keys."""
    return {**_fill_defaults(entry), **build_server_entry(command), "env": entry.get("env", {})}


def _fill_defaults(entry: Settings) -> Settings:
    return {"type": "stdio", "env": {}, **entry}


def _is_generated(entry: Settings) -> bool:
    """Return whether an entry is what `install` writes by itself, with any command."""
    return entry == build_server_entry(_get_command(entry)) if _is_own_server(entry) else False


def _get_command(entry: Settings) -> list[str]:
    return [entry["command"], *entry["args"][:-1]]


def _find_entry_of_user(path: Path, entry: Settings) -> Settings | None:
    """Return the user's own entry that `entry` was before the installation, or None if `install` added it.

    It is in the newest backup from before the installation, or in the last commit if the backup is gone. It is `entry`
    itself if no note says that `install` wrote the file, or if the file replaced the one of `install`.
    """
    if _is_replaced(path, entry):
        return entry
    if was_created(path):
        return None
    extended: list[Settings] = []
    for backup in find_backups(path):
        old_entry = _read_entry(backup)
        if old_entry is None:
            return None
        if not _is_extended(entry, old_entry):
            return old_entry
        extended.append(old_entry)
    if not _is_from_install(path):
        return entry
    return _find_committed_entry(path) or next(iter(extended), None)


def _is_extended(entry: Settings, old_entry: Settings) -> bool:
    """Return whether an entry differs from what `install` makes of an older one."""
    return _replace_command(old_entry, _get_command(entry)) != entry


def _is_from_install(path: Path) -> bool:
    """Return whether `install` wrote a file with the server, by a note, even if the file has changed or was moved."""
    return find_digest(path) is not None or was_written_anywhere(path.read_bytes())


def _find_committed_entry(path: Path) -> Settings | None:
    """Return the entry of the server in the last commit, which `install` replaced, or None if there is none."""
    entry = _read_committed_servers(path).get(NAME)
    return entry if _is_own_server(entry) else None


def _is_replaced(path: Path, entry: Settings) -> bool:
    """Return whether the entry in a file came from elsewhere, such as a checkout, after `install` wrote the file.

    An entry without the keys that `install` always writes did, and so did one that is committed, unless the whole file
    is as `install` wrote it.
    """
    _, content, _ = read_settings(path)
    if content is None or was_written(path, content):
        return False
    return not entry.keys() >= build_server_entry([NAME]).keys() or _is_committed(path, entry)


def _is_committed(path: Path, entry: Settings) -> bool:
    """Return whether the last commit has this file with an equal entry. Returns False outside git."""
    return _encode(_read_committed_servers(path).get(NAME)) == _encode(entry)


def _read_committed_servers(path: Path) -> Settings:
    """Return the servers of this file in the last commit. Returns {} if there are none that `install` did not write."""
    from orchestrator.fs.git import read_committed  # slow to load and rarely needed

    try:
        content = read_committed(path) or b"{}"
        servers = json.loads(content).get(_SERVERS_KEY)
    except (ValueError, RecursionError, AttributeError):
        return {}
    return servers if isinstance(servers, dict) and not was_written(path, content) else {}


def _encode(value: Any) -> str:
    """Encode a value for a comparison as JSON, because in Python 1 equals True."""
    return json.dumps(value, sort_keys=True)


def _read_entry(path: Path) -> Settings | None:
    """Return the entry of the server in a file, or None if it has none that starts tune-skill."""
    try:
        real_path, _, config = read_settings(path)
        entry = _get_servers(real_path, config).get(NAME)
    except Refused:
        return None
    return entry if _is_own_server(entry) else None


def _keep_extended_entries(change: Change, entry: Settings, entry_of_user: Settings | None) -> Change:
    """Return a change that loses no entry with keys of the user's: the backups that have one stay."""
    backups = [
        backup
        for backup in change.obsolete
        if (old_entry := _read_entry(backup)) is None or _is_generated(old_entry) or old_entry == entry_of_user
    ]
    is_extended = not _is_generated(entry) if entry_of_user is None else _is_extended(entry, entry_of_user)
    if not is_extended or change.backup:
        return replace(change, obsolete=backups)
    subject = f"{change.subject}; the backup has your keys of its entry"
    return replace(change, subject=subject, backup=choose_backup_name(change.path), obsolete=backups)


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


def _normalize_backup(path: Path, config: Settings, entry_of_user: Settings | None) -> Settings | None:
    """Return a configuration without an empty `mcpServers`, or None if it has another server of tune-skill."""
    servers = _get_servers(path, config)
    if servers.get(NAME) != entry_of_user:
        return None
    return config if entry_of_user is not None else _remove_own_server(path, config)
