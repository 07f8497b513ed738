"""Provide the names that the documents of other tools use: amplihack (steering, compaction) and MACF."""
