"""Spell names as Claude Code does.

Source: the CLI 2.1.330. `claude plugin validate --json` lists what a plugin provides under the names of `qualify`;
characters outside `[a-zA-Z0-9_-]` in the name of an MCP server or tool become `_`.
"""

from actions.regex import regex

_UNSAFE = regex(r"[^a-zA-Z0-9_-]")


def qualify(plugin: str, *parts: str) -> str:
    """Return the name of a plugin's unit, such as `plugin:folder:name`, or `folder:name` without a plugin."""
    return ":".join((*((plugin,) if plugin else ()), *parts))


def build_mcp_name(name: str) -> str:
    """Return the name of an MCP server or tool as it appears in tool names."""
    return _UNSAFE.sub("_", name)
