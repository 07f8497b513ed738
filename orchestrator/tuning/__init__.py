"""Measure skills by running Claude Code: their success on tasks, and which skill is called for a prompt."""
