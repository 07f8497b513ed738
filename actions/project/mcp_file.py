"""Read the MCP servers of a project, and the commands and lines that start them."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from actions.memo import memoize_all
from actions.project.find_units import find_units
from actions.project.project import Project
from actions.project.units import Unit, UnitKind


class Server(msgspec.Struct, frozen=True):
    """An MCP server: its unit, its name, and the words of the command that starts it, each with its line.

    `entry` is its value in the file, under the keys `steps`.
    """

    unit: Unit
    name: str
    words: tuple[tuple[int, str], ...]
    entry: Mapping[str, Any]
    steps: tuple[str, ...]


@memoize_all
def find_servers(project: Project) -> Iterator[Server]:
    """Yield the MCP servers in `.mcp.json` files and manifests. The `mcpServers` key is optional in a file."""
    for unit in find_units(project):
        document = project.read_json(unit.path) if unit.kind in (UnitKind.MCP, UnitKind.MANIFEST) else None
        if document is None or not isinstance(document.value, dict):
            continue
        top = ("mcpServers",) if "mcpServers" in document.value or unit.kind is UnitKind.MANIFEST else ()
        servers = document.value.get("mcpServers") if top else document.value
        for name, server in servers.items() if isinstance(servers, dict) else ():
            if isinstance(server, dict):
                args = server.get("args")
                words = [("command",), *(("args", n) for n in range(len(args) if isinstance(args, list) else 0))]
                values = [server.get("command"), *(args if isinstance(args, list) else ())]
                lines = (document.find_line(*top, name, *steps) for steps in words)
                placed = ((line, word) for line, word in zip(lines, values, strict=True) if isinstance(word, str))
                yield Server(unit, name, tuple(placed), server, (*top, name))
