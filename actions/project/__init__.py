"""Describe a repository of skills, plugins and settings: its files, its units and what their names mean."""
