"""Decide what an improvement does next: split tasks, sort failures, limit and screen edits. Pure functions only."""
