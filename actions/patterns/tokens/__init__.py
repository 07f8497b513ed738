"""Tokens spent for nothing."""
