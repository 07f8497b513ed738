"""Limit the input tokens of a question to a model, summed over all requests that the question and its lookups take.

Each request repeats everything that came before it. So the question is paid for in every request, and a text that is
looked up in every later one. The tokens are those of the requests as sent, without a provider's cache.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from actions.skill.text import tokens_of

LIMIT, SMALL_UNIT, TOKENS_PER_BYTE = 58_000, 12_000, 3
"""Tokens for a question about a unit of up to SMALL_UNIT bytes, and tokens for each further byte of the unit.

Reading a skill of about 10 KB should cost at most 60,000 tokens. The rest is for what Claude Code and the model add.
"""
SECOND = 4_000
"""Number of tokens that the first lookup leaves for a second one (about 16 KB)."""
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
        requests, sent = len(batches) + 1, tokens_of(sum(batches))
        again = sum(size * (requests - number) for number, size in enumerate(batches, 1))
        room = self.limit - (requests + 1) * self.question - tokens_of(again) - sent
        both = (room - self.question - SECOND) // 2
        return 4 * max(0, both if not batches and both > SECOND else room)


UNLIMITED = Allowance(10**12)


def make_allowance(prompt: str, schema: Mapping[str, Any], unit_bytes: int) -> Allowance:
    """Return the allowance of a question: its prompt, the schema of its answer, the bytes of the unit's text."""
    asked = measure(prompt) + measure(schema) + _OVERHEAD
    beyond = max(0, min(unit_bytes, len(prompt)) - SMALL_UNIT)
    return Allowance(LIMIT + beyond * TOKENS_PER_BYTE, tokens_of(asked))


def measure(value: object) -> int:
    """Return the number of bytes that a value takes as JSON in a request."""
    return len(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
