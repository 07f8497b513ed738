"""Measure which skill Claude Code calls for a prompt, among all skills of a project."""
