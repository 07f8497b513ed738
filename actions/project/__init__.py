"""Describe a repository of skills, plugins and settings: its files, its units and their names."""
