"""Report what happened in sessions: drives, delegations, times, tokens."""
