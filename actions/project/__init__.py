"""Describe a repository of skills, plugins and settings: its files, its units, their names and faults."""
