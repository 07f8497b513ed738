"""List the frontmatter keys that Claude Code reads in an agent's file.

Source: the CLI 2.1.330. Its log names the keys of an agent that it does not know or ignores.
"""

AGENT_KEYS = frozenset(
    "name description model tools disallowedTools color effort permissionMode mcpServers hooks maxTurns"
    " autoCompactWindow skills initialPrompt memory background omitClaudeMd isolation observer observerMessage"
    " observeToolResults observeSubagents experimental".split()
)
"""Frontmatter keys that Claude Code reads in an agent's file."""

IGNORED_IN_PLUGINS = ("permissionMode", "hooks", "mcpServers")
"""Frontmatter keys that work in `.claude/agents` and have no effect in a plugin's agents."""
