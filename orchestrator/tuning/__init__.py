"""Measure skills by running Claude Code: how often tasks succeed, and which skill is called for a prompt."""
