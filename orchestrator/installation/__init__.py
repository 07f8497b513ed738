"""Install tune-skill in Claude Code (slash command, hooks, MCP server, plugin) and uninstall it."""
