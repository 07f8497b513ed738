"""Rules and goals that are lost on the way."""
