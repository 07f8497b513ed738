"""What a session shows: its commands, edits, test runs and git, worked out of a transcript for the checkers."""
