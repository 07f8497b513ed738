"""Record sessions (hooks, event log), read recorded ones (transcripts), and decide whether they may stop (steering)."""
