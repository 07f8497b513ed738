"""Run jobs in the main thread, the only one in which a signal can interrupt a slow regular expression.

A server handles its protocol in another thread, so that it can answer its client during a scan.
"""

from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from functools import partial
from queue import SimpleQueue
from threading import Lock
from typing import Any, TypeVar

from orchestrator.time_limit import limit_time

T = TypeVar("T")
Job = tuple[Future[Any], Callable[[], Any]]


class Closed(BaseException):
    """Raised when the client has disconnected, so that the scan can stop."""


class MainThread(Executor):
    """Runs jobs one after the other in the thread that calls `serve`."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._lock = Lock()
        self._is_closed = False

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """Queue a job. After `end`, return a cancelled job instead."""
        future: Future[T] = Future()
        with self._lock:
            if self._is_closed:
                future.cancel()
            else:
                self._jobs.put((future, partial(fn, *args, **kwargs)))
        return future

    def serve(self) -> None:
        """Run jobs until `end` is called. Then a running job that writes is completed, but a scan stops early."""
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
        self._cancel_rest(job)

    def _cancel_rest(self, job: "Job | None") -> None:
        while job or not self._jobs.empty():
            if job and not job[0].running():
                job[0].cancel()
            job = None if self._jobs.empty() else self._jobs.get()

    def end(self) -> None:
        """Make `serve` return."""
        with self._lock:
            self._is_closed = True
        self._jobs.put(None)

    def run_limited(self, work: Callable[[], None]) -> None:
        """Run a check in the main thread (see `Case.limited`). Raises Closed if the client has disconnected."""
        if self._is_closed:
            raise Closed
        with limit_time():
            work()

    def run_for_thread(self, work: Callable[[], None]) -> None:
        """Run work in the main thread and wait for it. After `end`, run it in the calling thread."""
        try:
            self.submit(work).result()
        except CancelledError:
            work()
