"""Prepare the report of a run from its state; the templates format it."""
