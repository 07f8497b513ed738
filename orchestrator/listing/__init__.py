"""Compute the skill listing that Claude Code sends to a model, and compare it with the one that is really sent."""
