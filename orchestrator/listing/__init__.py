"""Compute the listing of skills that Claude Code sends to a model, and compare it with the one actually sent."""
