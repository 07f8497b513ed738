"""Draft fixes for issues with a strategy or a model, and check their invariants before anything is written."""
