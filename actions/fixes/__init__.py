"""From an issue to a fix: what strategies propose, the record of it, and its rehearsal in memory."""
