"""What the judge may spend: a ceiling that queries running side by side cannot break together."""

import re
from dataclasses import dataclass

from schemas.options import CEILING_USD

TOKEN_USD, CACHED_USD, WRITTEN_USD = 6e-6, 0.6e-6, 25e-6
"""USD for a token that a model reads, for one that comes from the cache, and for one that it writes, guessed before a
query; the CLI tells the true cost.

The list price of Claude Opus is at most 5 and 25 USD a million tokens; a quarter more where the prompt is put into the
cache, a tenth of it where it comes from there.
"""

FAMILIES = {"opus": 1.0, "haiku": 0.2, "sonnet": 0.6, "fable": 2.0, "mythos": 2.0}
"""What a token of a model costs beside one of Claude Opus, by the family in the model's name: the most that one of it
costs in the catalogue of Claude Code 2.1.330. Opus 4.0 and 4.1 alone cost three times as much as every later Opus.
"""

ANSWER = 800
"""Tokens of a usual answer."""

SHORTEST, LONGEST = 4_000, 32_000
"""Tokens that every answer may have, and that none may exceed."""


def find_family(model: str) -> str:
    """Return the family whose list price a model has: that in its name, else opus."""
    found = re.search("|".join(FAMILIES), model.lower())
    return found.group() if found else "opus"


def estimate_cost(tokens: int, cached: int = 0) -> float:
    """Return what a prompt of so many tokens, of which some are `cached`, will cost with its answer, in USD."""
    return (tokens - cached) * TOKEN_USD + cached * CACHED_USD + ANSWER * WRITTEN_USD


def max_answer_tokens(tokens: int, usd: float) -> int:
    """Give the tokens that a model may write for a prompt of so many, so that one turn costs no more than `usd`.

    Claude Code looks at the cost between turns only, and would allow an answer of 3 USD.
    """
    return max(SHORTEST, min(LONGEST, int((usd - tokens * TOKEN_USD) / WRITTEN_USD)))


@dataclass
class Budget:
    """`spent` and `granted` (to queries that run now), in USD; together they stay below `ceiling`."""

    ceiling: float = CEILING_USD
    spent: float = 0.0
    granted: float = 0.0

    @property
    def remaining(self) -> float:
        """What can still be granted."""
        return max(0.0, self.ceiling - self.spent - self.granted)

    def grant(self, least: float, parts: int) -> float | None:
        """Reserve for one of `parts` queries that may run side by side; None when `least` is not there."""
        if least > self.remaining:
            return None
        grant = max(least, self.remaining / parts)
        self.granted += grant
        return grant

    def settle(self, grant: float, usd: float) -> None:
        """Give back a grant of which `usd` were spent."""
        self.granted -= grant
        self.spent += usd

    def split(self, share: float) -> "Budget":
        """Give a budget of its own: a share of the ceiling, as far as so much is left."""
        return Budget(min(self.remaining, self.ceiling * share))
