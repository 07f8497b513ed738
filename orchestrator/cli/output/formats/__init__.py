"""Format results. Each format has one file, which defines `FORMAT` for `registry.py`."""
