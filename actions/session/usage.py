"""Count the tokens of a session, each message once, in constant memory."""

from typing import Any

from msgspec.structs import astuple

from actions.session.transcript import Usage
from actions.session.transcript_record import RawUsage

_MAX_OPEN = 500
"""Number of newest messages that stay open, because later records may repeat or correct their usage."""


def parse_count(value: Any) -> int:
    """Return a count; 0 for any other value (NaN, a bool, a negative number)."""
    return value if type(value) is int and 0 <= value < 1 << 53 else 0


class UsageCount:
    """A sum of usages. All records of a message state its usage; only the last statement is added."""

    def __init__(self) -> None:
        self._open: dict[str, RawUsage] = {}
        self._closed = [0, 0, 0, 0]

    def add(self, id: str, usage: RawUsage) -> None:
        """Add the usage in a record of the message `id`."""
        self._open[id] = usage
        if len(self._open) > 2 * _MAX_OPEN:
            self._close(_MAX_OPEN)

    def total(self) -> Usage:
        """Return the sum of all messages."""
        self._close(len(self._open))
        return Usage(*self._closed)

    def _close(self, many: int) -> None:
        spent = [astuple(self._open.pop(id)) for id in list(self._open)[:many]]
        for n, column in enumerate(zip(*spent, strict=True)):
            self._closed[n] += sum(map(parse_count, column))
