"""The same thing said twice, or differently."""
