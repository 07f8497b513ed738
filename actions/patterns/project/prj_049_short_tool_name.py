"""A plugin names a tool of its own MCP server without the plugin's prefix.

It is:
- such a tool in the `tools` of an agent, as `mcp__atlas__find` for `mcp__plugin_birds_atlas__find` (proven)
- such a tool in the matcher of a hook of the plugin (proven)
It is not:
- a list that also has the full name: it serves users who have the server without the plugin, too
- a tool of a server that the plugin does not start
- a tool in `allowed-tools` of a skill or a command: it only saves a question
Why it is bad: Claude Code calls the server of a plugin `plugin_PLUGIN_SERVER`. The agent does not get the tool, the hook never runs,
and no message says so.
Instead: Write `mcp__plugin_PLUGIN_SERVER__TOOL`, or for all tools of the server `mcp__plugin_PLUGIN_SERVER__*` in `tools` and
`mcp__plugin_PLUGIN_SERVER__.*` in a matcher.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.short_tool_names import ShortName, find_in_matchers, find_in_tools
from templates.filters import counted

PATTERN = Pattern(
    id="PRJ-049",
    impact=("every_run", "easy"),
    asks_model=False,
    kinds=(UnitKind.AGENT, UnitKind.HOOKS, UnitKind.MANIFEST),
)
_PLUGIN = {
    ".claude-plugin/plugin.json": '{"name": "birds"}\n',
    ".mcp.json": '{"mcpServers": {"atlas": {"command": "npx", "args": ["atlas"]}}}\n',
}
_AGENT = "---\nname: counter\ndescription: Counts.\ntools: Read, %s\n---\n\nCount.\n"
_HOOKS = '{"hooks": {"PreToolUse": [{\n  "matcher": "%s",\n  "hooks": [{"type": "command", "command": "true"}]}]\n}}\n'
BAD = (
    {**_PLUGIN, "agents/counter.md": _AGENT % "mcp__atlas__find"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "mcp__atlas"},
    {**_PLUGIN, "hooks/hooks.json": _HOOKS % "mcp__atlas__.*"},
)
GOOD = (
    {**_PLUGIN, "agents/counter.md": _AGENT % "mcp__plugin_birds_atlas__find"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "mcp__atlas__find, mcp__plugin_birds_atlas__find"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "mcp__maps__find"},
    {**_PLUGIN, ".claude/agents/counter.md": _AGENT % "mcp__atlas__find"},
    {**_PLUGIN, "hooks/hooks.json": _HOOKS % "mcp__.*atlas__find"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the lists in this unit that name tools of the plugin's servers without its prefix."""
    if case.unit.kind is UnitKind.AGENT:
        short = find_in_tools(case.project, case.unit, case.skill)
        if short:
            yield Finding(case.unit.path, short.line, _format_message(short, "the agent does not get"))
    else:
        for short in find_in_matchers(case.project, case.unit):
            yield Finding(case.unit.path, short.line, _format_message(short, "the hook does not run for"))


def _format_message(short: ShortName, effect: str) -> str:
    first, *others = short.names
    names = f"`{first[:80]}` and {counted(len(others), 'similar name')}" if others else f"`{first[:80]}`"
    tools = "these tools" if others else "this tool"
    return f"No tool has the name {names}, so {effect} {tools}. Write `{short.instead[:120]}`."
