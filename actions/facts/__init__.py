"""What patterns and strategies read out of a skill: facts, worked out once, a folder per family."""
