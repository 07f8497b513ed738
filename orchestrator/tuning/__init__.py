"""Measure a skill by running it on tasks."""
