"""Watch a session while it runs: hooks, event log, transcripts and power steering."""
