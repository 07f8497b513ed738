"""Count the tokens of a session, each message once, in constant memory."""

from typing import Any

from msgspec.structs import astuple

from actions.session.transcript import Usage
from actions.session.transcript_record import RawUsage

_MAX_OPEN = 500
"""Number of newest messages that are not summed up yet, because later records may repeat or correct their usage."""


def parse_count(value: Any) -> int:
    """Return a value if it is a plausible count, else 0 (NaN, a bool, a negative number)."""
    return value if type(value) is int and 0 <= value < 1 << 53 else 0


class UsageCount:
    """A sum of token counts. Every record of a message has the counts of the message; only the last ones are added."""

    def __init__(self) -> None:
        self._open: dict[str, RawUsage] = {}
        self._closed = [0, 0, 0, 0]

    def add(self, id: str, usage: RawUsage) -> None:
        """Add the token counts in a record of the message `id`."""
        self._open[id] = usage
        if len(self._open) > 2 * _MAX_OPEN:
            self._close(_MAX_OPEN)

    def sum_up(self) -> Usage:
        """Return the sum of all messages."""
        self._close(len(self._open))
        return Usage(*self._closed)

    def _close(self, number: int) -> None:
        """Sum up a number of messages, the oldest."""
        usages = [astuple(self._open.pop(id)) for id in list(self._open)[:number]]
        for n, counts in enumerate(zip(*usages, strict=True)):
            self._closed[n] += sum(map(parse_count, counts))
