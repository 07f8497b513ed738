"""Find faults in recorded sessions: one file per consideration that the records can answer."""
