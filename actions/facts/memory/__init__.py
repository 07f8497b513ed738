"""Constraints, stages and state that a run must not forget."""
