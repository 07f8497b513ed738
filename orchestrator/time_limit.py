"""Limit the CPU time of a check. A check that takes longer fails."""

import _signal  # type: ignore[import-not-found]  # `signal` would convert each number to an enum and back
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

SECONDS = 3.0
"""Limit of CPU time in seconds. Checks of text written by people need less than a hundredth of it."""


class _InterruptError(TimeoutError):
    """Raised in a thread by the thread that watches its time limit."""


def limit_time(seconds: float = SECONDS) -> AbstractContextManager[None]:
    """Raise TimeoutError in the block after `seconds` of CPU time. A long call of C code may delay it."""
    return _MainThreadLimit(seconds) if _is_main_thread() else _limit_non_main_thread(seconds)


_main_thread_runners: list[Callable[[Callable[[], None]], None]] = []
"""Contains the function that runs the work of a server's threads in the main thread, if there is a server."""


def lend_main_thread(run: Callable[[Callable[[], None]], None] | None) -> None:
    """Set the function that runs the work of other threads in the main thread, or None to stop lending it."""
    _main_thread_runners[:] = [run] if run else []


def run_limited(work: Callable[[], None], seconds: float = SECONDS) -> None:
    """Run work, and raise TimeoutError after `seconds` of CPU time.

    In a lent main thread, the limit interrupts even the search of a regular expression.
    """
    if _main_thread_runners and not _is_main_thread():
        _main_thread_runners[0](partial(_run, work, seconds))
    else:
        _run(work, seconds)


def _is_main_thread() -> bool:
    """Return whether this is the main thread, the only one if `threading` is not loaded (as in hooks)."""
    threading = sys.modules.get("threading")
    return threading is None or threading.current_thread() is threading.main_thread()


def _run(work: Callable[[], None], seconds: float) -> None:
    with limit_time(seconds):
        work()


class _MainThreadLimit:
    """Interrupts the main thread by a signal after `seconds` of CPU time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        self._before = _signal.signal(_signal.SIGPROF, self._interrupt)
        _signal.setitimer(_signal.ITIMER_PROF, self._seconds)

    def __exit__(self, *_: object) -> None:
        _signal.setitimer(_signal.ITIMER_PROF, 0)
        _signal.signal(_signal.SIGPROF, self._before)

    def _interrupt(self, *_: object) -> None:
        raise TimeoutError(_describe_timeout(self._seconds))


@contextmanager
def _limit_non_main_thread(seconds: float) -> Iterator[None]:
    """Limit the CPU time of the current thread, which is not the main thread.

    A second thread measures the time and interrupts this thread, because only the main thread receives signals.
    """
    import threading

    ident, is_done, lock = threading.get_ident(), threading.Event(), threading.Lock()
    clock = _build_clock(ident)
    end = clock() + seconds

    def watch() -> None:
        while (seconds_left := end - clock()) > 0:
            if is_done.wait(seconds_left):
                return
        with lock:
            if not is_done.is_set():
                _raise_in_thread(ident, _InterruptError)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        try:
            yield
        finally:
            with lock:
                is_done.set()
            _raise_in_thread(ident, None)  # cancels an error that the watcher may just have sent
            watcher.join()
    except _InterruptError:
        raise TimeoutError(_describe_timeout(seconds)) from None


def _describe_timeout(seconds: float) -> str:
    return f"not finished within {seconds:g} s"


def _build_clock(ident: int) -> Callable[[], float]:
    """Return a clock of a thread's CPU time, or of wall time if the system has no such clock."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    number = time.pthread_getcpuclockid(ident)
    return lambda: time.clock_gettime(number)


def _raise_in_thread(ident: int, error: type[BaseException] | None) -> None:
    """Raise an error in a thread before its next bytecode. None cancels an error that is not raised yet."""
    import ctypes  # not needed by commands, which run checks in the main thread

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), error and ctypes.py_object(error))
