"""What recorded sessions show."""
