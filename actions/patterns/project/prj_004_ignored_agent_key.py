"""An agent of a plugin has a key that Claude Code ignores in plugins.

It is:
- `permissionMode`, `hooks` or `mcpServers` in the frontmatter of an agent that belongs to a plugin (proven)
It is not:
- the same keys in an agent of `.claude/agents`
- `mcpServers` with only names, in an agent without `tools`, or whose `tools` name the servers: it has them anyway
Low when:
- the key contains only hooks for tools that the agent does not have
- the key is `permissionMode: plan` or `acceptEdits`, and all tools of the agent only read
Why it is bad: The agent runs without the mode, the hooks or the servers that its author relies on.
Instead: Remove the key. Put hooks into the plugin's `hooks/hooks.json` and servers into its `.mcp.json`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.facts.agents import IGNORED_IN_PLUGINS
from actions.project.facts.names import build_mcp_name
from actions.project.facts.tools import READING_TOOLS
from actions.regex import regex

PATTERN = Pattern(id="PRJ-004", impact=("every_run", "easy"), asks_model=False, kinds=(UnitKind.AGENT,))
_NAME = regex(r"[^|,\[\]'\"\s]+")
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}'}
_AGENT = "---\nname: counter\ndescription: Counts birds.\n%s---\n\nCount the birds.\n"
BAD = (
    {**_PLUGIN, "agents/counter.md": _AGENT % "permissionMode: plan\n"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "tools: Read\nmcpServers: [atlas]\n"},
)
GOOD = (
    {**_PLUGIN, "agents/counter.md": _AGENT % "model: haiku\n"},
    {".claude/agents/counter.md": _AGENT % "permissionMode: plan\n"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "tools: Read, mcp__atlas__*\nmcpServers: [atlas]\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the ignored keys of this agent."""
    if case.unit.plugin_root is None:
        return
    frontmatter = case.skill.frontmatter
    for key in IGNORED_IN_PLUGINS:
        if key in frontmatter.values and not (key == "mcpServers" and _are_servers_inherited(frontmatter.values)):
            line = frontmatter.lines.get(key, 1)
            severity = Severity.LOW if _is_idle(key, frontmatter.values) else PATTERN.severity
            yield Finding(case.unit.path, line, f"Claude Code ignores `{key}` in plugin agents.", severity=severity)


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
