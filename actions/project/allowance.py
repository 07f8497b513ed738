"""Limit the input tokens of a question to a model, summed over all requests for the question and its lookups.

Each request repeats everything that came before it, so the question counts in every request, and a looked-up text
counts in every later one. Tokens are counted as sent, regardless of a provider's cache.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from actions.skill.text import estimate_tokens

LIMIT, SMALL_UNIT, TOKENS_PER_BYTE = 58_000, 12_000, 3
"""Tokens for a question about a unit of up to SMALL_UNIT bytes, and tokens for each further byte of the unit.

Reading a skill of about 10 KB should cost at most 60,000 tokens. The rest is for what Claude Code and the model add.
"""
SECOND = 4_000
"""Number of tokens that the first lookup must leave for a second one (about 16 KB)."""
SMALLEST = 2_000
"""Minimum number of remaining bytes for which a lookup is worthwhile."""
_OVERHEAD = 4_000
"""Bytes that Claude Code adds to each request: its own instructions, reminders, the tool `look` (2.1.330: 3,600)."""


class Allowance(msgspec.Struct, frozen=True):
    """The number of tokens that all requests of a question may take, and that the question alone takes.

    The lookups that a model asks for in one request form a batch. The next request sends their results together.
    """

    limit: int
    question: int = 0

    def get_room(self, batches: Sequence[int]) -> int:
        """Return the bytes that the next batch may add, after batches of these sizes in bytes.

        The answer takes one more request. The first batch also leaves room for a second one.
        """
        requests, sent = len(batches) + 1, estimate_tokens(sum(batches))
        resent = sum(size * (requests - number) for number, size in enumerate(batches, 1))
        room = self.limit - (requests + 1) * self.question - estimate_tokens(resent) - sent
        share_of_first = (room - self.question - SECOND) // 2
        return 4 * max(0, share_of_first if not batches and share_of_first > SECOND else room)


UNLIMITED = Allowance(10**12)


def make_allowance(prompt: str, schema: Mapping[str, Any], unit_bytes: int) -> Allowance:
    """Return the allowance of a question: its prompt, the schema of its answer, the bytes of the unit's text."""
    own_bytes = measure(prompt) + measure(schema) + _OVERHEAD
    excess_bytes = max(0, min(unit_bytes, len(prompt)) - SMALL_UNIT)
    return Allowance(LIMIT + excess_bytes * TOKENS_PER_BYTE, estimate_tokens(own_bytes))


def measure(value: object) -> int:
    """Return the number of bytes that a value takes as JSON in a request."""
    return len(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
