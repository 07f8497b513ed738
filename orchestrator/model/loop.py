"""Run a coroutine so that its child processes end before a signal ends this process."""

import asyncio
import os
import signal
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from orchestrator.model.clock import StoppableLoop
from orchestrator.signals import is_interrupting, set_interrupting

T = TypeVar("T")

_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
"""Signals that end this process, but not its child processes. (asyncio handles SIGINT.)"""

_SAVING_SECONDS = 0.5
"""How long a result can be saved before a signal that came at the end of the work takes effect."""


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in a new event loop. A signal cancels the work, and takes effect after its processes have ended."""
    received: list[int] = []
    interrupting = [number for number in _ENDING_SIGNALS if is_interrupting(number)]
    try:
        try:
            with asyncio.Runner(loop_factory=StoppableLoop) as runner:
                result = runner.run(_handle_signals(work, received))
        finally:  # closing the loop has restored the default action
            for number in interrupting if _is_main_thread() else ():
                set_interrupting(number)
    except BaseException:
        if received:
            os.kill(os.getpid(), received[0])
        raise
    if received:
        _interrupt_soon(received[0])
    return result


def _interrupt_soon(number: int) -> None:
    """Resend a signal that arrived when the work had just ended, after a delay in which the result can be saved."""
    timer = threading.Timer(_SAVING_SECONDS, os.kill, (os.getpid(), number))
    timer.daemon = True
    timer.start()


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


async def _handle_signals(work: Coroutine[Any, Any, T], received: list[int]) -> T:
    task, loop = asyncio.current_task(), asyncio.get_running_loop()

    def end(number: int) -> None:
        received.append(number)
        if task is not None and len(received) == 1:  # a second one would cancel the end of the child processes
            task.cancel()

    if _is_main_thread():
        for number in _ENDING_SIGNALS:
            if signal.getsignal(number) is signal.SIG_DFL or is_interrupting(number):
                loop.add_signal_handler(number, end, number)
    return await work
