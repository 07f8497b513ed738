"""Make fixes for issues: by a strategy or by a model, checked against the invariants before anything is written."""
