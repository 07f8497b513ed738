"""Limit the time of one pattern. A pattern that takes longer fails, and its findings are unknown."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 10.0
"""Seconds of CPU. No pattern needs a hundredth of it on any text that a person wrote."""


@contextmanager
def limit_time(seconds: float = SECONDS) -> Iterator[None]:
    """Raise TimeoutError inside the block after `seconds` of CPU.

    A single call of a library is not interrupted. Only the main thread of a process can be interrupted: in other
    threads nothing is limited.
    """

    def interrupt(*_: object) -> None:
        raise TimeoutError(f"not finished within {seconds:g} s")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
