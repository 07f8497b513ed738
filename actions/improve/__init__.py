"""Decide what an improvement does next: split the tasks, sort the failures, limit and check the edits."""
