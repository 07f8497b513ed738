"""Counts the tokens of a session: each message id once, in flat memory."""

from typing import Any

from actions.session.transcript import Usage
from actions.session.transcript_record import Spent

_OPEN = 500
"""Messages whose later records may still repeat or correct their usage."""


def count(value: Any) -> int:
    """Return a count; 0 for what is none (NaN, a bool, a negative number)."""
    return value if type(value) is int and 0 <= value < 1 << 53 else 0


class UsageCount:
    """Adds up usages; the records of one message repeat it, and the last one holds."""

    def __init__(self) -> None:
        self._open: dict[str, Spent] = {}
        self._closed = [0, 0, 0, 0]

    def add(self, id: str, usage: Spent) -> None:
        """Note the usage that a record of the message `id` tells."""
        self._open[id] = usage
        if len(self._open) > _OPEN:
            first = next(iter(self._open))
            _add(self._closed, self._open.pop(first))

    def total(self) -> Usage:
        """Return the sum of all messages."""
        totals = list(self._closed)
        for usage in self._open.values():
            _add(totals, usage)
        return Usage(*totals)


def _add(totals: list[int], usage: Spent) -> None:
    totals[0] += count(usage.input_tokens)
    totals[1] += count(usage.output_tokens)
    totals[2] += count(usage.cache_creation_input_tokens)
    totals[3] += count(usage.cache_read_input_tokens)
