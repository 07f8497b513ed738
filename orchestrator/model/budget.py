"""Limit what the judge may spend: concurrent queries share one cost limit."""

import re
from dataclasses import dataclass

from schemas.options import MAX_COST_USD

TOKEN_USD, CACHED_USD, WRITTEN_USD = 6e-6, 0.6e-6, 25e-6
"""Estimated USD per token read, per token read from the cache, and per token written; the CLI reports the true cost.

The list price of Claude Opus is at most 5 and 25 USD a million tokens; writing to the cache costs a quarter more,
and reading from it a tenth.
"""

FAMILIES = {"opus": 1.0, "haiku": 0.2, "sonnet": 0.6, "fable": 2.0, "mythos": 2.0}
"""The price of a token relative to Claude Opus, by the family in the model's name: the highest of the family in the
catalogue of Claude Code 2.1.330. Only Opus 4.0 and 4.1 cost more, three times as much as every later Opus.
"""

ANSWER = 800
"""Tokens of a usual answer."""

SHORTEST, LONGEST = 4_000, 32_000
"""The lowest and the highest limit of tokens for an answer."""


def find_family(model: str) -> str:
    """Return the family in the name of a model, whose list price it has; opus if no family is found."""
    found = re.search("|".join(FAMILIES), model.lower())
    return found.group() if found else "opus"


def estimate_cost(tokens: int, cached: int = 0) -> float:
    """Estimate the cost in USD of a prompt of `tokens`, some of them `cached`, with its answer."""
    return (tokens - cached) * TOKEN_USD + cached * CACHED_USD + ANSWER * WRITTEN_USD


def max_answer_tokens(tokens: int, usd: float) -> int:
    """Return how many tokens a model may write after a prompt of `tokens`, so that one turn costs at most `usd`.

    Claude Code checks the cost only between turns, and would allow an answer of 3 USD.
    """
    return max(SHORTEST, min(LONGEST, int((usd - tokens * TOKEN_USD) / WRITTEN_USD)))


@dataclass
class Budget:
    """A cost limit in USD for what is `spent` and what is `granted` to running queries."""

    ceiling: float = MAX_COST_USD
    spent: float = 0.0
    granted: float = 0.0

    @property
    def remaining(self) -> float:
        """USD that can still be granted."""
        return max(0.0, self.ceiling - self.spent - self.granted)

    def grant(self, least: float, parts: int) -> float | None:
        """Reserve USD for one of `parts` concurrent queries; None when less than `least` remains."""
        if least > self.remaining:
            return None
        grant = max(least, self.remaining / parts)
        self.granted += grant
        return grant

    def settle(self, grant: float, usd: float) -> None:
        """Release a grant, and book the `usd` that were spent."""
        self.granted -= grant
        self.spent += usd

    def split(self, share: float) -> "Budget":
        """Return a new budget with a share of the limit, or less if less remains."""
        return Budget(min(self.remaining, self.ceiling * share))
