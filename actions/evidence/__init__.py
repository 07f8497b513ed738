"""Turn recorded sessions into evidence about a skill: findings of checkers, and the lines of the skill behind them."""
