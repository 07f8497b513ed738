"""What a model is asked of a skill, and what its answers are worth."""
