"""Find MCP servers in files where Claude Code does not look, and variables in servers that it does not replace.

Source: the CLI 2.1.332; `tests/e2e/facts/test_settings_facts.py` asks it. It replaces `${NAME}` and `${NAME:-default}`.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from actions.memo import memoize_all
from actions.project.find_units import SETTINGS, find_units
from actions.project.home_folders import find_home_folders
from actions.project.mcp_file import find_servers
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex

_KEY = "mcpServers"
_EDITOR_VARIABLE = regex(r"\$\{(?P<kind>input|env|workspaceFolder)(?::(?P<name>[\w.-]{1,80}))?\}")
"""A variable of VS Code."""
_SCRIPT = regex(r"\.(?:sh|bash|ps1|py|[mc]?js|ts)\Z|(?:\A|/)(?:Makefile|package\.json)\Z")
_MAX_BYTES = 200_000


class MisusedServer(msgspec.Struct, frozen=True):
    """A server that does not work as written: unit, line and problem, and the variable that is not replaced, or "".

    `is_shared` means that another program may read the servers or the variable.
    """

    unit: Unit
    line: int
    problem: str
    variable: str
    is_shared: bool


@memoize_all
def find_misused_servers(project: Project) -> Iterator[MisusedServer]:
    """Yield the settings with MCP servers, and the variables of VS Code in the servers of other files."""
    for unit in find_units(project):
        document = project.read_json(unit.path) if unit.name in SETTINGS and unit.kind is UnitKind.HOOKS else None
        servers = document.value.get(_KEY) if document and isinstance(document.value, dict) else None
        if document and isinstance(servers, dict) and any(isinstance(server, dict) for server in servers.values()):
            is_home = posixpath.dirname(unit.path) in find_home_folders(project)
            advice = "Add each with `claude mcp add --scope user`." if is_home else "Move the servers to `.mcp.json`."
            problem = f"Claude Code does not read `mcpServers` in settings. {advice}"
            is_shared = _is_used(project) or servers.keys() <= _list_servers(project)
            yield MisusedServer(unit, document.find_line(_KEY), problem, "", is_shared)
    for server in find_servers(project):
        document = project.read_json(server.unit.path)
        for steps, text in _list_texts(server.entry):
            if document and (match := _EDITOR_VARIABLE.search(text)):
                line = document.find_line(*server.steps, *steps)
                problem = f"The server gets the text `{match[0]}`: Claude Code does not replace it. {_advise(match)}"
                yield MisusedServer(server.unit, line, problem, match[0], "inputs" in document.value)


def _list_texts(entry: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the texts in which Claude Code replaces variables, each with its path in the entry of the server."""
    for key in ("command", "url", "args", "env", "headers"):
        value = entry.get(key)
        if isinstance(value, str):
            yield (key,), value
        pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        yield from (((key, step), text) for step, text in pairs if isinstance(text, str))


def _advise(match: re.Match[str]) -> str:
    if match["kind"] == "workspaceFolder":
        return "It starts servers in the project's folder, so write a relative path."
    name = match["name"] or "NAME"
    return f"Write `${{{name if match['kind'] == 'env' else name.upper().replace('-', '_').replace('.', '_')}}}`."


def _list_servers(project: Project) -> frozenset[str]:
    return frozenset(server.name for server in find_servers(project))


def _is_used(project: Project) -> bool:
    """Return whether a script of the project may read the servers in settings."""
    for path, file in project.files.items():
        if file.size <= _MAX_BYTES and _SCRIPT.search(path):
            raw = project.read_bytes(path) or b""
            if _KEY.encode() in raw and b"settings" in raw:
                return True
    return False
