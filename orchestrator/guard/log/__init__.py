"""Append events to the project's log and query them."""
