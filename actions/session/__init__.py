"""Read a recorded session: its transcript, commands, edits, test runs, git and CI."""
