"""Read a recorded session: its transcript, shell commands, edits, test runs, git commands and CI status."""
