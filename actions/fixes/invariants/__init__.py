"""Check the invariants of a fix, which compare the skill before and after it. `prove.py` calls all checks."""
