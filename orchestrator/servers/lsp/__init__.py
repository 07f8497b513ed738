"""Serve an editor with the proven findings of skills. `features.py` lists the requests."""
