"""Describe a repository of skills, plugins and settings: its files and units, and their names and faults."""
