"""The state of a run: its fields and their names, what declares them, and the files that keep it."""
