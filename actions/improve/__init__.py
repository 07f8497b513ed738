"""Decide what an improvement does next: split tasks, sort failures, bound and screen edits. Pure functions only."""
