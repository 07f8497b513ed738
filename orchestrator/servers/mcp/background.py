"""Continue work after its tool call has returned.

Claude Code 2.1.332 moves a call that takes longer than two minutes to the background. When the call ends, it wakes the
model in a turn in which every tool asks for permission. So a call returns earlier; the next call waits for the work.
"""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio.to_thread

from orchestrator.servers.mcp.client_listener import ClientListener, Progress

T = TypeVar("T")
MAX_CALL_SECONDS = 90.0
"""Seconds after which a call returns, while its work continues."""
_running: dict[Path, "Work"] = {}
"""The running work of this process, by the work dir of its run."""


async def run_in_thread(progress: Progress, work: Callable[[ClientListener], T]) -> T:
    """Run work in a thread. If the task is cancelled, no further step begins."""
    stop = threading.Event()
    try:
        return await anyio.to_thread.run_sync(lambda: work(ClientListener(progress, stop)), abandon_on_cancel=True)
    finally:
        stop.set()


class Work:
    """Work on a run. A client's calls wait for it one after the other."""

    def __init__(self, work_dir: Path, work: Callable[[ClientListener], Any]) -> None:
        self._progress: Progress | None = None
        self._task = asyncio.create_task(run_in_thread(self._report, work))
        self._task.add_done_callback(lambda task: _running.pop(work_dir, None))
        _running[work_dir] = self

    async def wait(self, progress: Progress, seconds: float) -> bool:
        """Wait at most `seconds` for the end of the work; return whether it has ended.

        Raises the error of the work. If the waiting call is cancelled, the work is stopped.
        """
        self._progress = progress
        try:
            done, _ = await asyncio.wait({self._task}, timeout=max(0.0, seconds))
        except asyncio.CancelledError:
            self.stop()
            raise
        finally:
            self._progress = None
        if done:
            self._task.result()
        return bool(done)

    def stop(self) -> None:
        """Stop after the current step."""
        self._task.cancel()

    def _report(self, message: str) -> None:
        if progress := self._progress:
            progress(message)


def find_work(work_dir: Path) -> Work | None:
    """Return the work on a run that has not ended."""
    return _running.get(work_dir)
