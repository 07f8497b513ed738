"""Make SIGTERM and SIGHUP end a command like Ctrl-C: its work is saved and its child processes end first.

A second Ctrl-C within two seconds is ignored, because it would prevent just that.

This module imports only built-in modules, because every command starts with it.
"""

import _signal  # type: ignore[import-not-found]
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic

_DEFAULTS = {
    _signal.SIGTERM: _signal.SIG_DFL,
    _signal.SIGHUP: _signal.SIG_DFL,
    _signal.SIGINT: _signal.default_int_handler,
}
"""What the signals that end a command do by default in Python."""
_BURST_SECONDS = 2.0
"""Period in which further signals are ignored. A closing terminal, a system shutdown or a hasty user sends several."""


class _Received:
    """The last signal that interrupted this command, its time (seconds of the monotonic clock), and who is called."""

    number = 0
    at = 0.0
    handle: Callable[[int], object] | None = None


@contextmanager
def interrupt_on_ending_signals(*, exits: bool = False) -> Iterator[None]:
    """Let SIGTERM, SIGHUP and SIGINT raise KeyboardInterrupt in the block, unless they are ignored (nohup) or handled.

    With `exits`, the process exits after the block. These signals and Ctrl-C are then ignored, because a signal while
    Python shuts down would change the exit code. They still end a server (see `restore_default_action`), which may have
    to wait for a thread.
    """
    _Received.number, _Received.at = 0, -_BURST_SECONDS
    replaced = [number for number in _DEFAULTS if has_default_action(number) and set_interrupting(number)]
    try:
        yield
    finally:
        is_exiting = exits and any(map(is_interrupting, replaced))
        for number in (_signal.SIGINT, *replaced) if is_exiting else replaced:
            _signal.signal(number, _signal.SIG_IGN if is_exiting else _DEFAULTS[number])


def restore_default_action() -> None:
    """Let SIGTERM and SIGHUP end this process immediately. Servers and hooks need this."""
    for number, action in _DEFAULTS.items():
        if is_interrupting(number):
            _signal.signal(number, action)


def has_default_action(number: int) -> bool:
    """Return whether nothing has changed what a signal does in Python."""
    return bool(_signal.getsignal(number) == _DEFAULTS[number])


@contextmanager
def handle_interrupts(handle: Callable[[int], object]) -> Iterator[None]:
    """Call `handle` with the number of a signal in the block, instead of raising KeyboardInterrupt."""
    earlier, _Received.handle = _Received.handle, handle
    try:
        yield
    finally:
        _Received.handle = earlier


def accept_next() -> None:
    """Do not ignore the next signal, even if it follows another one closely."""
    _Received.at = -_BURST_SECONDS


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
    if monotonic() - _Received.at < _BURST_SECONDS:
        return
    _Received.number, _Received.at = number if number != _signal.SIGINT else 0, monotonic()
    if _Received.handle is None:
        raise KeyboardInterrupt
    _Received.handle(number)
