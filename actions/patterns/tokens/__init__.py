"""Find text that costs tokens needlessly."""
