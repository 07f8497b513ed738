"""Run jobs in the main thread, because only there a signal can interrupt a slow regular expression.

The protocol runs in another thread, so that the editor gets answers while a skill is scanned.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

from orchestrator.engine.time_limit import limit_time

T = TypeVar("T")


class Closed(BaseException):
    """The editor has disconnected, so the rest of a scan is not needed."""


class MainThread(Executor):
    """Runs one job after the other in the thread that calls `serve`."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._is_closed = False

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """Queue a job."""
        future: Future[T] = Future()
        self._jobs.put((future, partial(fn, *args, **kwargs)))
        return future

    def serve(self) -> None:
        """Run jobs until `end` is called; then complete a job that writes, but stop a scan before its next pattern."""
        while (job := self._jobs.get()) and not self._is_closed:
            future, work = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except Closed:
                break
            except Exception as error:  # noqa: BLE001 - raised in the thread that waits for the job
                future.set_exception(error)

    def end(self) -> None:
        """Make `serve` return."""
        self._is_closed = True
        self._jobs.put(None)

    @contextmanager
    def limit_time(self) -> Iterator[None]:
        """Limit the time of a pattern (see `Case.limited`). Raises Closed if the editor has disconnected."""
        if self._is_closed:
            raise Closed
        with limit_time():
            yield
