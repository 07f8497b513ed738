"""Find tools of a plugin's own MCP server that its agents and hooks name without the plugin's prefix.

Source: the CLI 2.1.332; `tests/e2e/facts/test_name_facts.py` asks it. The tool `find` of the server `atlas` in the
plugin `birds` is `mcp__plugin_birds_atlas__find`. It is `mcp__atlas__find` only if the user has the same server, too.
"""

from collections.abc import Iterator, Mapping

import msgspec

from actions.memo import memoize
from actions.project.facts.hooks import EVENTS, TOOL
from actions.project.facts.names import build_mcp_name
from actions.project.frontmatter import read_values
from actions.project.hooks_file import find_hook_groups
from actions.project.mcp_file import find_servers
from actions.project.misspelled_names import split_names
from actions.project.plugins import find_plugins
from actions.project.project import Project
from actions.project.units import Unit
from actions.regex import regex
from actions.skill.skill import Skill

_SERVER = regex(r"mcp__([\w-]+?)(?:__.*|\.[*+].*)?")
"""The name of a tool, of all tools of a server, or an expression for them."""
_SEPARATOR = regex(r"[|,]")


class ShortName(msgspec.Struct, frozen=True):
    """Names of tools without the prefix of the plugin: their line, the names, and what the first one should be."""

    line: int
    names: tuple[str, ...]
    instead: str


def find_in_tools(project: Project, unit: Unit, skill: Skill) -> ShortName | None:
    """Return the short names in the `tools` of a plugin's agent, or None."""
    values = read_values(skill.main.text) if b"mcp__" in skill.main.raw else None
    lines = skill.main.doc.lines
    line = next((number for number, text in enumerate(lines, 1) if text.startswith("tools:")), 1)
    return _find_short(project, unit, split_names((values or {}).get("tools")), line)


def find_in_matchers(project: Project, unit: Unit) -> Iterator[ShortName]:
    """Yield the short names in each matcher of a plugin's hooks."""
    for group in project.list_for_unit(find_hook_groups, unit.path):
        names = map(str.strip, _SEPARATOR.split(group.matcher))
        short = _find_short(project, unit, names, group.line) if EVENTS.get(group.event) == TOOL else None
        if short:
            yield short


def _find_short(project: Project, unit: Unit, names: Iterator[str], line: int) -> ShortName | None:
    """Return the short names of servers of which no full name is in the list, or None."""
    servers = _map_servers(project).get(unit.plugin_root or "", {}) if unit.plugin_root is not None else {}
    known = [*names] if servers else []
    short = [
        (name, server)
        for name in known
        if (match := _SERVER.fullmatch(name)) and (server := match[1]) in servers
        if not any(servers[server] in other for other in known)
    ]
    if not short:
        return None
    first, server = short[0]
    instead = first.replace(f"mcp__{server}", servers[server], 1)
    return ShortName(line, tuple(name for name, _ in short), instead)


@memoize
def _map_servers(project: Project) -> Mapping[str, Mapping[str, str]]:
    """Map the root of each plugin to its servers: from the name in a tool to the beginning of the tool's full name."""
    servers: dict[str, dict[str, str]] = {}
    plugins = find_plugins(project)
    for server in find_servers(project):
        root = server.unit.plugin_root
        if root is not None and root in plugins:
            plugin, name = build_mcp_name(plugins[root].name), build_mcp_name(server.name)
            servers.setdefault(root, {})[name] = f"mcp__plugin_{plugin}_{name}"
    return servers
