"""Record sessions (hooks, event log), read recorded sessions (transcripts), and decide whether a session can stop."""
