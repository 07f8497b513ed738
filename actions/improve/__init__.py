"""Decide the next step of an improvement, split tasks, sort failures, and limit and check edits."""
