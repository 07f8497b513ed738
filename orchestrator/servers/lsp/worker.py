"""Where the work is done: in the main thread, the only one in which a pattern that takes too long can be interrupted.

The protocol is spoken in another thread, so an editor gets its answers while a skill is looked at.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

from orchestrator.engine.time_limit import limit_time

T = TypeVar("T")


class Over(BaseException):
    """The editor is gone: nobody waits for the rest of a look."""


class MainThread(Executor):
    """Does one job after the other in the thread that calls `serve`."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._over = False

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """Queue a job."""
        future: Future[T] = Future()
        self._jobs.put((future, partial(fn, *args, **kwargs)))
        return future

    def serve(self) -> None:
        """Do the jobs until `end` is called. One that writes is let finish, a look ends before its next pattern."""
        while (job := self._jobs.get()) and not self._over:
            future, work = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except Over:
                break
            except Exception as error:  # noqa: BLE001 - whoever waits for the job gets it
                future.set_exception(error)

    def end(self) -> None:
        """Let `serve` return."""
        self._over = True
        self._jobs.put(None)

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Limit what a pattern may take, and let none begin that nobody waits for; see `Case.limited`."""
        if self._over:
            raise Over
        with limit_time():
            yield
