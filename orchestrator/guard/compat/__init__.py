"""Offer the names that the documents of other tools ask for."""
