"""Measure which of a project's skills Claude Code calls for a prompt."""
