"""tune-skill in Claude Code: the slash command, the hooks and the plugin, put in and taken out again."""
