"""Count the tokens of a session in constant memory. Each message is counted once."""

from typing import Any

from msgspec.structs import astuple

from actions.session.transcript import Usage
from actions.session.transcript_record import RawUsage

_MAX_UNSUMMED = 500
"""Number of newest messages that are not summed up yet, because later records may correct their usage."""


def parse_count(value: Any) -> int:
    """Return a value if it is a valid count, else 0 (for NaN, a bool or a negative number)."""
    return value if type(value) is int and 0 <= value < 1 << 53 else 0


class UsageCount:
    """A running sum of token counts.

    Each record of a message repeats the counts of the whole message, so only those of its last record are added.
    """

    def __init__(self) -> None:
        self._unsummed: dict[str, RawUsage] = {}
        self._sums = [0, 0, 0, 0]

    def add(self, id: str, usage: RawUsage) -> None:
        """Add the token counts in a record of the message `id`."""
        self._unsummed[id] = usage
        if len(self._unsummed) > 2 * _MAX_UNSUMMED:
            self._add_oldest(_MAX_UNSUMMED)

    def sum_up(self) -> Usage:
        """Return the sum of all messages."""
        self._add_oldest(len(self._unsummed))
        return Usage(*self._sums)

    def _add_oldest(self, number: int) -> None:
        """Add the counts of the oldest `number` messages to the sum and drop these messages."""
        usages = [astuple(self._unsummed.pop(id)) for id in list(self._unsummed)[:number]]
        for n, counts in enumerate(zip(*usages, strict=True)):
            self._sums[n] += sum(map(parse_count, counts))
