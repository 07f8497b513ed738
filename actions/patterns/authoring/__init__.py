"""Find habits of authors that cost every user."""
