"""Decide whether a session may stop, from its transcript (power steering)."""
