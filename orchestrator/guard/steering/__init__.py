"""Decide from its transcript whether a session is allowed to stop (power steering)."""
