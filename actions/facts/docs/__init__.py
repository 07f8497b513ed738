"""What is said twice, or differently."""
