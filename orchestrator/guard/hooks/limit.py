"""Limit the time of a hook, whatever files it reads: the user waits for it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

WORK = 1.5
"""Seconds of CPU; most hooks need 0.05."""
WAIT = 2.0
"""Seconds of wall time, for waiting on a lock or a disk."""
_TIMERS = ((signal.ITIMER_PROF, signal.SIGPROF), (signal.ITIMER_REAL, signal.SIGALRM))


class TimeLimitReached(BaseException):
    """The time is over. Not an Exception, because only the place that fails open may catch it."""


@contextmanager
def time_limit() -> Iterator[None]:
    """Raise TimeLimitReached in the body when time runs out; do nothing off the main thread or inside another limit."""
    if threading.current_thread() is not threading.main_thread() or signal.getitimer(signal.ITIMER_PROF)[0]:
        yield
        return
    before = [signal.signal(number, _raise) for _, number in _TIMERS]
    try:
        for (timer, _), seconds in zip(_TIMERS, (WORK, WAIT), strict=True):
            signal.setitimer(timer, seconds)
        yield
    finally:
        for (timer, number), handler in zip(_TIMERS, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


@contextmanager
def without_limit() -> Iterator[None]:
    """Suspend the limit in the body, for work that the user enabled and that has limits of its own."""
    left = [signal.setitimer(timer, 0)[0] for timer, _ in _TIMERS]
    try:
        yield
    finally:
        for (timer, _), seconds in zip(_TIMERS, left, strict=True):
            signal.setitimer(timer, seconds)


def _raise(number: int, frame: FrameType | None) -> None:
    raise TimeLimitReached
