"""What Claude Code asks of a skill folder."""
