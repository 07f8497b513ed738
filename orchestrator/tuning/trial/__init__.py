"""Compare two versions of a skill in runs on the same tasks: read `trial.py` first, then `statistics.py`."""
