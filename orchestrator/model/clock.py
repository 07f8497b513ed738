"""Provide an event loop whose clock stands still while this process is stopped (Ctrl-Z).

A sleeping computer needs no care, because the monotonic clock does not count its sleep.
"""

import asyncio
import time

_TICK_SECONDS, _GAP_SECONDS = 1.0, 5.0
"""How often the loop reads its clock at least, and the gap between two readings that is taken for a stop. A shorter one
can be work, or a busy computer.
"""


class StoppableLoop(asyncio.SelectorEventLoop):
    """An event loop in which time limits and delays do not count the time in which the process is stopped."""

    def __init__(self) -> None:
        self._read_at, self._stopped_seconds = time.monotonic(), 0.0
        super().__init__()
        self._tick()

    def time(self) -> float:
        """Return the seconds of the monotonic clock, without those in which this process was stopped."""
        now = time.monotonic()
        gap, self._read_at = now - self._read_at, now
        if gap > _GAP_SECONDS:
            self._stopped_seconds += gap
        return now - self._stopped_seconds

    def _tick(self) -> None:
        self.call_later(_TICK_SECONDS, self._tick)
