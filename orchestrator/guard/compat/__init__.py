"""Provide the names that documents of other tools use: amplihack (steering, compaction) and MACF."""
