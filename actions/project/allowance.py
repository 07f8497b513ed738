"""Limit the input tokens of a question to a model, summed over all requests for the question and its lookups.

Each request repeats everything that came before it. So the question counts in every request, and a looked-up text
counts in every later request. Tokens are counted as sent, regardless of a provider's cache.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from actions.skill.text import estimate_tokens

BASE_LIMIT, SMALL_UNIT_BYTES, TOKENS_PER_BYTE = 58_000, 12_000, 3
"""Tokens for a question about a unit of up to SMALL_UNIT_BYTES bytes, and tokens for each further byte of the unit.

Reading a skill of about 10 KB should cost at most 60,000 tokens. The rest is for what Claude Code and the model add.
"""
SECOND_LOOKUP_TOKENS = 4_000
"""Number of tokens (about 16 KB) that the first lookup must leave for a second lookup."""
MIN_LOOKUP_BYTES = 2_000
"""Minimum number of remaining bytes for which a lookup is worthwhile."""
_OVERHEAD = 4_000
"""Bytes that Claude Code adds to each request: its own instructions, reminders, the tool `look` (2.1.330: 3,600)."""


class Allowance(msgspec.Struct, frozen=True):
    """How many input tokens the requests for a question may use. `limit` is the maximum for all requests together.

    `question` is the number of tokens of the question alone. The lookups that a model asks for in one request form a
    batch. The next request sends their results together.
    """

    limit: int
    question: int = 0

    def get_room(self, batches: Sequence[int]) -> int:
        """Return the number of bytes that the next batch may add. `batches` are the sizes of the earlier ones in bytes.

        One more request is reserved for the answer. The first batch must also leave room for a second one.
        """
        requests, sent = len(batches) + 1, estimate_tokens(sum(batches))
        resent = sum(size * (requests - number) for number, size in enumerate(batches, 1))
        room = self.limit - (requests + 1) * self.question - estimate_tokens(resent) - sent
        share_of_first = (room - self.question - SECOND_LOOKUP_TOKENS) // 2
        return 4 * max(0, share_of_first if not batches and share_of_first > SECOND_LOOKUP_TOKENS else room)


UNLIMITED = Allowance(10**12)


def make_allowance(prompt: str, schema: Mapping[str, Any], unit_bytes: int) -> Allowance:
    """Return the allowance of a question with this prompt and answer schema, for a unit of this size."""
    own_bytes = measure(prompt) + measure(schema) + _OVERHEAD
    excess_bytes = max(0, min(unit_bytes, len(prompt)) - SMALL_UNIT_BYTES)
    return Allowance(BASE_LIMIT + excess_bytes * TOKENS_PER_BYTE, estimate_tokens(own_bytes))


def measure(value: object) -> int:
    """Return the number of bytes that a value takes as JSON in a request."""
    return len(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
