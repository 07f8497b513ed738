"""Run a coroutine so that its child processes end before a signal ends this process."""

import asyncio
import os
import signal
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
"""Signals that normally end this process at once, but not its child processes. (asyncio handles SIGINT.)"""


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in a new event loop. A signal cancels the work, and takes effect after its processes have ended."""
    received: list[int] = []
    try:
        return asyncio.run(_handle_signals(work, received))
    except asyncio.CancelledError:
        if received:
            os.kill(os.getpid(), received[0])  # closing the loop has restored the default action
        raise


async def _handle_signals(work: Coroutine[Any, Any, T], received: list[int]) -> T:
    task, loop = asyncio.current_task(), asyncio.get_running_loop()

    def end(number: int) -> None:
        received.append(number)
        if task is not None:
            task.cancel()

    if threading.current_thread() is threading.main_thread():
        for number in _ENDING_SIGNALS:
            if signal.getsignal(number) is signal.SIG_DFL:
                loop.add_signal_handler(number, end, number)
    return await work
