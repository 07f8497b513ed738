"""Make SIGTERM and SIGHUP end a command like Ctrl-C: its work is saved and its child processes end first.

This module imports only built-in modules, because every command starts with it.
"""

import _signal  # type: ignore[import-not-found]
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic

_ENDING_SIGNALS = (_signal.SIGTERM, _signal.SIGHUP)
_BURST_SECONDS = 2.0
"""Period in which further signals are ignored. A closing terminal or a system shutdown sends several."""


class _Received:
    """The last signal that interrupted this command, and its time (seconds of the monotonic clock)."""

    number = 0
    at = 0.0


@contextmanager
def interrupt_on_ending_signals(*, exits: bool = False) -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise KeyboardInterrupt in the block, unless they are ignored (nohup) or handled.

    With `exits`, the process exits after the block. These signals and Ctrl-C are then ignored, because a signal while
    Python shuts down would change the exit code. They still end a server (see `restore_default_action`), which may have
    to wait for a thread.
    """
    _Received.number, _Received.at = 0, -_BURST_SECONDS
    replaced = [
        number
        for number in _ENDING_SIGNALS
        if _signal.getsignal(number) == _signal.SIG_DFL and set_interrupting(number)
    ]
    try:
        yield
    finally:
        is_exiting = exits and any(map(is_interrupting, replaced))
        for number in (_signal.SIGINT, *replaced) if is_exiting else replaced:
            _signal.signal(number, _signal.SIG_IGN if is_exiting else _signal.SIG_DFL)


def restore_default_action() -> None:
    """Let SIGTERM and SIGHUP end this process immediately. Servers and hooks need this."""
    for number in _ENDING_SIGNALS:
        if is_interrupting(number):
            _signal.signal(number, _signal.SIG_DFL)


def is_interrupting(number: int) -> bool:
    """Return whether a signal raises KeyboardInterrupt in this command."""
    return bool(_signal.getsignal(number) is _interrupt)


def get_exit_code() -> int:
    """Return 128 plus the number of the signal that interrupted this command, or 0 for none or Ctrl-C."""
    return 128 + _Received.number if _Received.number else 0


def leave_to_parent() -> None:
    """Ignore, in a worker, the signals that a terminal sends to all processes. Only the parent ends its workers."""
    for number, action in ((_signal.SIGINT, _signal.SIG_IGN), (_signal.SIGHUP, _signal.SIG_IGN)):
        _signal.signal(number, action)
    _signal.signal(_signal.SIGTERM, _signal.SIG_DFL)


def set_interrupting(number: int) -> bool:
    """Let a signal raise KeyboardInterrupt. Returns False outside the main thread, where that is impossible."""
    with suppress(ValueError):
        _signal.signal(number, _interrupt)
        return True
    return False


def _interrupt(number: int, frame: object) -> None:
    if monotonic() - _Received.at >= _BURST_SECONDS:
        _Received.number, _Received.at = number, monotonic()
        raise KeyboardInterrupt
