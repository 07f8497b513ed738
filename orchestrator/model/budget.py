"""Estimate and limit the cost of the judge. Concurrent queries share one budget."""

import re

import msgspec

from actions.review.judge import ANSWER_TOKENS
from schemas.options import MAX_COST_USD

TOKEN_USD, CACHED_USD, WRITTEN_USD = 6e-6, 0.6e-6, 25e-6
"""The estimated price in USD of a token that is read, read from the cache, or written.

The list price of Claude Opus is at most 5 USD (input) and 25 USD (output) per million tokens. Writing to the cache
costs a quarter more, and reading from it costs a tenth. The true cost is reported by Claude Code.
"""

FAMILIES = {"opus": 1.0, "haiku": 0.2, "sonnet": 0.6, "fable": 2.0, "mythos": 2.0}
"""The price of a token relative to Claude Opus, by model family.

It is the highest price of the family in the catalogue of Claude Code 2.1.330. Only Opus 4.0 and 4.1 cost more: three
times as much as every later Opus.
"""

MIN_ANSWER, MAX_ANSWER = 4_000, 32_000
"""The lowest and the highest token limit of an answer."""


def find_family(model: str) -> str:
    """Return the family (a key of FAMILIES) that a model's name contains, by default "opus"."""
    found = re.search("|".join(FAMILIES), model.lower())
    return found.group() if found else "opus"


def estimate_cost(tokens: int, cached: int = 0, written: int = ANSWER_TOKENS) -> float:
    """Estimate the cost in USD of a prompt and its answer.

    tokens: the size of the prompt. cached: how many of these tokens are in the cache. written: the size of the answer.
    """
    return (tokens - cached) * TOKEN_USD + cached * CACHED_USD + written * WRITTEN_USD


def limit_answer_tokens(tokens: int, usd: float) -> int:
    """Return the maximum length of an answer in tokens, so that prompt and answer together cost at most `usd`.

    tokens: the size of the prompt. The limit is needed because Claude Code checks the cost only between turns, and
    one answer can cost 3 USD.
    """
    return max(MIN_ANSWER, min(MAX_ANSWER, int((usd - tokens * TOKEN_USD) / WRITTEN_USD)))


class Budget(msgspec.Struct):
    """A cost limit (`ceiling`), the cost so far, and the amount reserved for running queries (`granted`), in USD."""

    ceiling: float = MAX_COST_USD
    spent: float = 0.0
    granted: float = 0.0

    @property
    def remaining(self) -> float:
        """The amount in USD that can still be granted."""
        return max(0.0, self.ceiling - self.spent - self.granted)

    def grant(self, minimum: float, parts: int) -> float | None:
        """Reserve and return USD for one of `parts` concurrent queries. Returns None if less than `minimum` remains."""
        if minimum > self.remaining:
            return None
        grant = max(minimum, self.remaining / parts)
        self.granted += grant
        return grant

    def settle(self, grant: float, usd: float) -> None:
        """Replace an amount that was reserved for a query (`grant`) with the real cost of the query (`usd`)."""
        self.granted -= grant
        self.spent += usd

    def split(self, share: float) -> "Budget":
        """Return a new budget with a share of the limit, or with the remaining amount if that is less."""
        return Budget(min(self.remaining, self.ceiling * share))


def describe_spent(usd: float, ceiling: float) -> str:
    """Return how much of a cost limit counts as paid."""
    return f"{usd:.2f} of {ceiling:.2f} USD count as paid"
