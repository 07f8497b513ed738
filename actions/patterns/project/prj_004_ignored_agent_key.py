"""An agent of a plugin has a key that Claude Code ignores in plugins.

It is:
- `permissionMode`, `hooks` or `mcpServers` in the frontmatter of an agent that belongs to a plugin (proven)
It is not:
- the same keys in an agent of `.claude/agents`
Why it is bad: The agent runs without the mode, the hooks or the servers that its author relies on.
Instead: Remove the key. Put hooks into the plugin's `hooks/hooks.json` and servers into its `.mcp.json`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.facts.agents import IGNORED_IN_PLUGINS

PATTERN = Pattern(id="PRJ-004", impact=("every_run", "easy"), asked=False, kinds=(UnitKind.AGENT,))
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}'}
_AGENT = "---\nname: counter\ndescription: Counts birds.\n%s---\n\nCount the birds.\n"
BAD = (
    {**_PLUGIN, "agents/counter.md": _AGENT % "permissionMode: plan\n"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "mcpServers: [atlas]\n"},
)
GOOD = (
    {**_PLUGIN, "agents/counter.md": _AGENT % "model: haiku\n"},
    {".claude/agents/counter.md": _AGENT % "permissionMode: plan\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the ignored keys of this agent."""
    if case.unit.plugin_root is None:
        return
    frontmatter = case.skill.frontmatter
    for key in IGNORED_IN_PLUGINS:
        if key in frontmatter.values:
            line = frontmatter.lines.get(key, 1)
            yield Finding(case.unit.path, line, f"Claude Code ignores `{key}` in plugin agents.")
