"""What the judge may spend: a ceiling that queries running side by side cannot break together."""

from dataclasses import dataclass

CEILING_USD = 0.50
"""What a command may spend when nobody says otherwise."""

TOKEN_USD, ANSWER_USD = 6e-6, 0.02
"""Guessed before a query: USD for a token of its prompt, and for an answer of a thousand tokens.

The list price of Claude Opus is 5 USD a million tokens, a quarter more where they are cached, 25 for what it writes;
the CLI tells the true cost afterwards.
"""


def guessed(tokens: int) -> float:
    """Give what a prompt of so many tokens will cost with its answer, in USD."""
    return tokens * TOKEN_USD + ANSWER_USD


@dataclass
class Budget:
    """`spent` and `granted` (to queries that run now), in USD; together they stay below `ceiling`."""

    ceiling: float = CEILING_USD
    spent: float = 0.0
    granted: float = 0.0

    @property
    def left(self) -> float:
        """What can still be granted."""
        return max(0.0, self.ceiling - self.spent - self.granted)

    def grant(self, least: float, parts: int) -> float | None:
        """Reserve for one of `parts` queries that may run side by side; None when `least` is not there."""
        if least > self.left:
            return None
        grant = max(least, self.left / parts)
        self.granted += grant
        return grant

    def settle(self, grant: float, usd: float) -> None:
        """Give back a grant of which `usd` were spent."""
        self.granted -= grant
        self.spent += usd

    def part(self, share: float) -> "Budget":
        """Give a budget of its own: a share of the ceiling, as far as so much is left."""
        return Budget(min(self.left, self.ceiling * share))
