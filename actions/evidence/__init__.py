"""Turn recorded sessions into evidence about a skill: findings of checkers, and the lines that explain them."""
