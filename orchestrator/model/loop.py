"""Run a coroutine so that its child processes end before a signal ends this process."""

import asyncio
import inspect
import os
import signal
import threading
from collections.abc import Coroutine
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any, TypeVar

from orchestrator.model.clock import StoppableLoop
from orchestrator.signals import accept_next, handle_interrupts

T = TypeVar("T")

_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
"""Signals that by default end this process, but not its child processes."""

_SAVING_SECONDS = 0.5
"""How long a result can be saved before a signal that came at the end of the work takes effect."""

_delayed: list[tuple[threading.Timer, int]] = []
"""The signal that takes effect soon."""


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in a new event loop. A signal cancels the work, and takes effect after its processes have ended."""
    received: list[int] = []
    try:
        with _hold_interrupts(received), asyncio.Runner(loop_factory=StoppableLoop) as runner:
            result = runner.run(_handle_signals(work, received))
    except BaseException:
        if inspect.getcoroutinestate(work) == inspect.CORO_CREATED:
            work.close()  # Python would warn that it never ran
        if received:
            _resend(received[0])
        raise
    if received:
        _resend_soon(received[0])
    return result


def _hold_interrupts(received: list[int]) -> AbstractContextManager[None]:
    """Hold signals while the loop is made and closed, because an exception would leave it half made."""
    return handle_interrupts(received.append) if _is_main_thread() else nullcontext()


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _resend(number: int) -> None:
    accept_next()
    os.kill(os.getpid(), number)


def _resend_soon(number: int) -> None:
    """Resend a signal that arrived when the work had just ended, after a delay in which the result can be saved."""
    timer = threading.Timer(_SAVING_SECONDS, _resend, (number,))
    timer.daemon = True
    _delayed[:] = [(timer, number)]
    timer.start()


def deliver_delayed() -> None:
    """Let a signal that waits for a result to be saved take effect, because the caller saved it and begins new work."""
    while _delayed:
        timer, number = _delayed.pop()
        if timer.is_alive():
            timer.cancel()
            _resend(number)


async def _handle_signals(work: Coroutine[Any, Any, T], received: list[int]) -> T:
    task, loop = asyncio.current_task(), asyncio.get_running_loop()

    def end(number: int) -> None:
        received.append(number)
        if task is not None and (len(received) == 1 or number == signal.SIGINT):
            task.cancel()  # a second cancel ends the work without the end of its child processes

    with ExitStack() as stack:
        if _is_main_thread():
            stack.enter_context(handle_interrupts(lambda number: loop.call_soon_threadsafe(end, number)))
            for number in _ENDING_SIGNALS:
                if signal.getsignal(number) is signal.SIG_DFL:
                    loop.add_signal_handler(number, end, number)
        if received:  # while the loop was made
            raise asyncio.CancelledError
        return await work
