"""Limit the time of a hook, because the user waits for it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

CPU_SECONDS = 1.5
"""Limit of CPU time. Most hooks need 0.05 s."""
WALL_SECONDS = 2.0
"""Limit of wall time, which includes waiting for locks and disks."""
_TIMERS = ((signal.ITIMER_PROF, signal.SIGPROF), (signal.ITIMER_REAL, signal.SIGALRM))


class TimeLimitReached(BaseException):
    """Raised when a hook exceeds its time limit. Not an Exception, so that only `run_guarded` catches it."""


@contextmanager
def time_limit() -> Iterator[None]:
    """Raise TimeLimitReached in the block after CPU_SECONDS or WALL_SECONDS.

    This has no effect outside the main thread or inside another such block.
    """
    handlers = [] if signal.getitimer(signal.ITIMER_PROF)[0] else _set_handlers()
    if not handlers:
        yield
        return
    try:
        for (timer, _), seconds in zip(_TIMERS, (CPU_SECONDS, WALL_SECONDS), strict=True):
            signal.setitimer(timer, seconds)
        yield
    finally:
        for (timer, number), handler in zip(_TIMERS, handlers, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


def _set_handlers() -> list[Any]:
    """Set handlers for the signals of the timers, and return the previous handlers.

    Outside the main thread, no handlers are set, and [] is returned.
    """
    try:
        return [signal.signal(number, _raise_time_limit) for _, number in _TIMERS]
    except ValueError:
        return []


@contextmanager
def without_limit() -> Iterator[None]:
    """Suspend the time limit during the block, for work that the user has enabled and that has limits of its own."""
    remaining = [signal.setitimer(timer, 0)[0] for timer, _ in _TIMERS]
    try:
        yield
    finally:
        for (timer, _), seconds in zip(_TIMERS, remaining, strict=True):
            signal.setitimer(timer, seconds)


def _raise_time_limit(number: int, frame: FrameType | None) -> None:
    raise TimeLimitReached
