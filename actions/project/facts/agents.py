"""List what Claude Code reads of an agent's file.

Source: the CLI 2.1.330. It logs that it ignores these keys in an agent of a plugin.
"""

IGNORED_IN_PLUGINS = ("permissionMode", "hooks", "mcpServers")
"""Frontmatter keys that work in `.claude/agents` and have no effect in an agent of a plugin."""
