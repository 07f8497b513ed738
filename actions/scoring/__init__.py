"""What is found and what it counts for: findings, issues, what suppresses them, score and gate."""
