"""Check the invariants of a fix: what must hold between a skill before and after it. Start with prove.py."""
