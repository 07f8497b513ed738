"""The time that one pattern may take: what needs more is abandoned, and what it would have found is unknown."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 10.0
"""CPU. No pattern needs a hundredth of it on any text that somebody wrote."""


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """Raise TimeoutError in what runs inside once it has used its seconds of CPU.

    A single call of a library is not interrupted but let finish. Only the main thread of a process can be interrupted:
    in others nothing is limited.
    """

    def over(*_: object) -> None:
        raise TimeoutError(f"it was not finished within {seconds:g} s")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
