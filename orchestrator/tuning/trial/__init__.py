"""Compare two versions of a skill by runs on the same tasks. Start reading with `trial.py`, then `statistics.py`."""
