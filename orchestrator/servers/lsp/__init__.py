"""Serve an editor with the proven findings of skills and other units. `features.py` lists the requests."""
