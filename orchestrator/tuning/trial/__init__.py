"""Runs of a skill before and after, on the same tasks: read `trial.py` first, then `statistics.py`."""
