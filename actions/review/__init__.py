"""Ask a model about a skill, and check its answers before they count."""
