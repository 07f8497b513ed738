"""Compare two versions of a skill by running both on the same tasks. Read `trial.py` first, then `statistics.py`."""
