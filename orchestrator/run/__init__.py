"""Carry a run through its states: create it, act, save, move on, pause and resume."""
