"""Print results: one module per format, and what they share."""
