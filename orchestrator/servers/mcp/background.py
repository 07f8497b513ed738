"""Continue work after its tool call has returned.

Claude Code 2.1.332 moves a call to the background if it takes longer than two minutes. When such a call ends, Claude
Code starts a turn of the model in which every tool asks for permission. To avoid this, a call returns before the two
minutes are over, and the next call waits for the rest of the work.
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
"""Seconds after which a call returns. Its work continues."""
_running: dict[Path, "Work"] = {}
"""The running work of this process, by the work dir of its run."""


async def run_in_thread(progress: Progress, work: Callable[[ClientListener], T]) -> T:
    """Run work in a thread. If the task is cancelled, the work stops before its next step."""
    stop = threading.Event()
    try:
        return await anyio.to_thread.run_sync(lambda: work(ClientListener(progress, stop)), abandon_on_cancel=True)
    finally:
        stop.set()


class Work:
    """Work on a run that continues in the background. The calls of a client wait for it one after the other."""

    def __init__(self, work_dir: Path, work: Callable[[ClientListener], Any]) -> None:
        self._progress: Progress | None = None
        self._task = asyncio.create_task(run_in_thread(self._report, work))
        self._task.add_done_callback(lambda task: _running.pop(work_dir, None))
        _running[work_dir] = self

    async def wait(self, progress: Progress, seconds: float) -> bool:
        """Wait at most `seconds` for the end of the work. Returns whether the work has ended.

        If the work failed, raises its error. If the waiting call is cancelled, stops the work.
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
        """Stop the work after its current step."""
        self._task.cancel()

    def _report(self, message: str) -> None:
        if progress := self._progress:
            progress(message)


def find_work(work_dir: Path) -> Work | None:
    """Return the background work on a run, or None if there is none or it has ended."""
    return _running.get(work_dir)
