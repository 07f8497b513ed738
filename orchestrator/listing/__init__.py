"""Compute the listing of skills that Claude Code sends to a model. Compare it with the listing that is really sent."""
