"""Find growing histories and long texts that fill the context."""
