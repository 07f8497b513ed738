"""Draft fixes for issues, by a strategy or a model, and check their invariants before anything is written."""
