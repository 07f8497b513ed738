"""An agent of a plugin has a key that Claude Code ignores in plugins.

It is:
- `permissionMode`, `hooks` or `mcpServers` in the frontmatter of an agent that belongs to a plugin (proven)
It is not:
- the same keys in an agent of `.claude/agents`
- `mcpServers` with only names, in an agent without `tools`, or whose `tools` name the servers: it has them anyway
- `permissionMode: default`, which applies without the key
Low when:
- the key contains only hooks for tools that the agent does not have
- the key is `permissionMode: plan` or `acceptEdits`, and all tools of the agent only read
- a script `install.sh` or `setup.sh` copies the agents to `.claude`, where Claude Code reads the key
Why it is bad: The agent runs without the mode, the hooks or the servers that its author relies on.
Instead: Remove the key. Put hooks into the plugin's `hooks/hooks.json` and servers into its `.mcp.json`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.ignored_agent_keys import find_ignored_keys

PATTERN = Pattern(id="PRJ-004", impact=("every_run", "easy"), asks_model=False, kinds=(UnitKind.AGENT,))
_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}'}
_AGENT = "---\nname: counter\ndescription: Counts birds.\n%s---\n\nCount the birds.\n"
BAD = (
    {**_PLUGIN, "agents/counter.md": _AGENT % "permissionMode: plan\n"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "tools: Read\nmcpServers: [atlas]\n"},
)
GOOD = (
    {**_PLUGIN, "agents/counter.md": _AGENT % "model: haiku\n"},
    {".claude/agents/counter.md": _AGENT % "permissionMode: plan\n"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "permissionMode: default\n"},
    {**_PLUGIN, "agents/counter.md": _AGENT % "tools: Read, mcp__atlas__*\nmcpServers: [atlas]\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the ignored keys of this agent."""
    for ignored in find_ignored_keys(case.project, case.unit, case.skill.frontmatter):
        message = f"Claude Code ignores `{ignored.key}` in plugin agents."
        severity = Severity.LOW if ignored.is_minor else PATTERN.severity
        yield Finding(case.unit.path, ignored.line, message, severity=severity)
