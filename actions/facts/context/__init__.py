"""What fills the context, and what survives a compaction."""
