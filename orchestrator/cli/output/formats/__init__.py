"""Print results in several formats, one per file. A file defines `FORMAT`; `registry.py` finds it."""
