"""Check recorded sessions for faults, and find the lines of the skill that explain them."""
