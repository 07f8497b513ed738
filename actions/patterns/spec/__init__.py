"""Find skill folders that break the specification."""
