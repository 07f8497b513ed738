"""Find the keys of plugin agents that Claude Code ignores in plugins, and say which of them change nothing."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from actions.project.facts.agents import IGNORED_IN_PLUGINS
from actions.project.facts.names import build_mcp_name
from actions.project.facts.tools import READING_TOOLS
from actions.project.installers import are_agents_copied
from actions.project.project import Project
from actions.project.units import Unit
from actions.regex import regex
from actions.skill.frontmatter import Frontmatter
from actions.skill.frontmatter_keys import is_default

_NAME = regex(r"[^|,\[\]'\"\s]+")


class IgnoredKey(msgspec.Struct, frozen=True):
    """A key of an agent that Claude Code ignores in plugins, and its line.

    `is_minor` is whether it would have no effect, or is meant for agents that a script copies to `.claude`.
    """

    key: str
    line: int
    is_minor: bool


def find_ignored_keys(project: Project, unit: Unit, frontmatter: Frontmatter) -> Iterator[IgnoredKey]:
    """Yield the keys of a plugin's agent that Claude Code ignores, unless the agent would be the same without them."""
    values = frontmatter.values
    for key in IGNORED_IN_PLUGINS if unit.plugin_root is not None else ():
        if key in values and not _is_without_effect(key, values):
            is_minor = _is_idle(key, values) or are_agents_copied(project, unit)
            yield IgnoredKey(key, frontmatter.lines.get(key, 1), is_minor)


def _is_without_effect(key: str, values: Mapping[str, Any]) -> bool:
    """Return whether an agent without this key would be the same."""
    return (key == "mcpServers" and _are_servers_inherited(values)) or is_default(key, values[key])


def _is_idle(key: str, values: Mapping[str, Any]) -> bool:
    """Return whether a key would have no effect for this agent in any place."""
    return (key == "hooks" and _are_hooks_idle(values)) or (key == "permissionMode" and _is_mode_idle(values))


def _is_mode_idle(values: Mapping[str, Any]) -> bool:
    """Return whether a mode that allows or forbids edits changes nothing, because no tool of the agent edits."""
    tools = set(_NAME.findall(str(values.get("tools", ""))))
    return values["permissionMode"] in ("plan", "acceptEdits") and bool(tools) and tools <= READING_TOOLS


def _are_hooks_idle(values: Mapping[str, Any]) -> bool:
    """Return whether each hook in an agent's frontmatter matches only tools that the agent does not have."""
    events = values["hooks"].values() if isinstance(values["hooks"], dict) else ()
    groups = [group for event in events if isinstance(event, list) for group in event if isinstance(group, dict)]
    matched = {name for group in groups for name in _NAME.findall(str(group.get("matcher") or "*"))}
    tools, refused = (set(_NAME.findall(str(values.get(key, "")))) for key in ("tools", "disallowedTools"))
    is_plain = bool(matched) and all(name.isalpha() for name in matched)
    return is_plain and (matched <= refused or (bool(tools) and matched.isdisjoint(tools)))


def _are_servers_inherited(values: Mapping[str, Any]) -> bool:
    """Return whether `mcpServers` only names servers of the session, whose tools the agent has anyway."""
    servers = values["mcpServers"] if isinstance(values["mcpServers"], list) else [values["mcpServers"]]
    tools = _NAME.findall(str(values.get("tools", "")))
    return all(
        isinstance(server, str) and ("tools" not in values or _include_server_tools(server, tools))
        for server in servers
    )


def _include_server_tools(server: str, tools: Sequence[str]) -> bool:
    """Return whether an agent's tools include tools of an MCP server."""
    name = f"mcp__{build_mcp_name(server)}"
    return any(tool == name or tool.startswith(f"{name}__") for tool in tools)
