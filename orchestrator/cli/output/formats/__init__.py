"""The output formats, one per file. A file defines `FORMAT`; `registry.py` finds it there."""
