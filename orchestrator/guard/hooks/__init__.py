"""The hooks of Claude Code: one handler per event, and the entry of those that only record."""
