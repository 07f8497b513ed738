"""History that grows, text that floods the context."""
