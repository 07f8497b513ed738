"""Turn recorded sessions into evidence about a skill: findings of checkers, and the skill's lines that explain them."""
