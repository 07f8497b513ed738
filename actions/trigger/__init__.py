"""Test which skill a prompt calls: prompts and their faults, repeats, bounds, matrix, shared words."""
