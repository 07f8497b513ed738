"""Measure a skill by running it."""
