"""What a session leaves behind and needs again: event log, breadcrumbs, cycles, drives, state, settings."""
