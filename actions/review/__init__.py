"""Ask a model about a skill, and decide which of its answers count."""
