"""Find growing histories and texts that fill the context."""
