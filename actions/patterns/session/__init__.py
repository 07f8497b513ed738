"""Patterns of sessions: one file per consideration that the records of a session can answer."""
