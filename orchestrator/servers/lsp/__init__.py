"""Show the proven findings of skills and other units in an editor. `features.py` lists the requests."""
