"""The end of a hook's time: whatever lies on the paths it reads, the user does not wait for it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

WORK = 1.5
"""Seconds of CPU; most hooks need 0.05. Time in which other programs work is no hook's fault."""
WAIT = 2.0
"""Seconds of wall time: for a lock or a disk that lets it wait without work."""
_TIMERS = ((signal.ITIMER_PROF, signal.SIGPROF), (signal.ITIMER_REAL, signal.SIGALRM))


class TimeLimitReached(BaseException):
    """The time is over. No Exception: nothing between here and the one place that fails open may catch it."""


@contextmanager
def time_limit() -> Iterator[None]:
    """Raise OutOfTime in the body when its time is over. Only the main thread can; a limit within another is none."""
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
    """Let no time pass in the body: for what the user has switched on, and which has limits of its own."""
    left = [signal.setitimer(timer, 0)[0] for timer, _ in _TIMERS]
    try:
        yield
    finally:
        for (timer, _), seconds in zip(_TIMERS, left, strict=True):
            signal.setitimer(timer, seconds)


def _raise(number: int, frame: FrameType | None) -> None:
    raise TimeLimitReached
