"""Habits of authors that cost every user."""
