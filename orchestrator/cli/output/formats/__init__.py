"""Format results in several formats, one file each. A file defines `FORMAT`, which `registry.py` finds."""
