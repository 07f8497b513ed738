"""Find text that costs tokens without need."""
