"""Check the invariants of a fix by comparing the skill before and after it. `prove.py` runs all checks."""
