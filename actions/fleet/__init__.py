"""Many skills at once: what is remembered of each, and what all of them tell together."""
