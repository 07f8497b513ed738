"""What phases hand to each other."""
