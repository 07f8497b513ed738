"""Map a function over items in several processes."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from orchestrator.signals import leave_to_parent

T = TypeVar("T")
R = TypeVar("R")
_INDEX_BYTES = 4
_worker_function: Callable[[Any], Any]
"""The function that this process of a pool applies to its items."""


def map_in_processes(
    function: Callable[[T], R], items: Sequence[T], measure: Callable[[T], int], count: int
) -> Iterator[tuple[int, R]]:
    """Apply a function to items in `count` processes. Yields the index and the result of each item.

    The largest items (by `measure`) are started first, so that no process starts a large item when the others are done.
    """
    sizes = list(map(measure, items))
    order = sorted(range(len(items)), key=lambda index: -sizes[index])
    return (_map_in_forks if sys.platform == "linux" else _map_in_pool)(function, items, order, count)


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _map_in_forks(
    function: Callable[[T], R], items: Sequence[T], order: Sequence[int], count: int
) -> Iterator[tuple[int, R]]:
    """Apply the function in this process and in forked processes, which take items from a common queue.

    The processes are forked after the first item, so that they inherit the modules that it has loaded. A pool would
    take 0.1 s more, because it loads a dozen modules and leaves this process idle.
    """
    queue = os.memfd_create("items")  # all processes share its read position
    os.write(queue, b"".join(index.to_bytes(_INDEX_BYTES, "little") for index in order))
    os.lseek(queue, 0, os.SEEK_SET)
    forks: list[_Fork] = []
    try:
        yield next(results := _take_items(function, items, queue))
        forks += (_Fork(lambda: _take_items(function, items, queue)) for _ in range(count - 1))
        for result in results:
            yield result
            for fork in forks:
                yield from fork.read_arrived()
        for fork in forks:
            yield from fork.read_rest()
    finally:
        os.close(queue)
        for fork in forks:
            fork.end()


def _take_items(function: Callable[[T], R], items: Sequence[T], queue: int) -> Iterator[tuple[int, R]]:
    while record := _read_record(queue):
        index = int.from_bytes(record, "little")
        yield index, function(items[index])


def _read_record(queue: int) -> bytes:
    """Read the next record of a queue. Returns b"" at its end.

    Linux does not lock the shared position of a file in memory: without the lock, two processes can read one record.
    """
    import fcntl

    fcntl.lockf(queue, fcntl.LOCK_EX)
    try:
        return os.read(queue, _INDEX_BYTES)
    finally:
        fcntl.lockf(queue, fcntl.LOCK_UN)


class _Fork:
    """A forked process that writes pickled results to a pipe."""

    def __init__(self, work: Callable[[], Iterator[Any]]) -> None:
        results, write_end = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            _write_results(work, write_end)
        os.close(write_end)
        self._results = os.fdopen(results, "rb")

    def read_arrived(self) -> Iterator[Any]:
        """Yield the results that have arrived, without waiting for others."""
        import select

        while select.select([self._results], [], [], 0)[0] and self._results.peek(1):
            yield self._read()

    def read_rest(self) -> Iterator[Any]:
        """Yield the remaining results. Raises RuntimeError if the process ends before it has written all of them."""
        while self._results.peek(1):
            yield self._read()
        pid, self._pid = self._pid, 0
        if os.waitpid(pid, 0)[1]:
            raise RuntimeError("a process of the scan was killed")

    def _read(self) -> Any:
        import pickle

        result = pickle.load(self._results)
        if isinstance(result, Exception):
            raise result
        return result

    def end(self) -> None:
        """Kill the process if it is still running."""
        self._results.close()
        if self._pid:
            import signal

            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)


def _write_results(work: Callable[[], Iterator[Any]], write_end: int) -> None:
    """Pickle the results of some work, or its error, into a pipe, and exit this process."""
    status = 1
    try:
        import pickle

        leave_to_parent()
        with os.fdopen(write_end, "wb", buffering=0) as pipe:
            try:
                for result in work():
                    pipe.write(pickle.dumps(result))
            except Exception as error:  # noqa: BLE001 - raised again by the process that reads it
                pipe.write(pickle.dumps(error))
        status = 0
    finally:
        os._exit(status)


def _map_in_pool(
    function: Callable[[T], R], items: Sequence[T], order: Sequence[int], count: int
) -> Iterator[tuple[int, R]]:
    """Apply the function in a pool of processes, which works on every system."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(count, get_context("spawn"), _set_up_worker, (function,))
    try:
        chunk_size = max(1, min(16, len(items) // (count * 32)))
        results = pool.map(_call_worker_function, [items[index] for index in order], chunksize=chunk_size)
        yield from zip(order, results, strict=True)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _set_up_worker(function: Callable[[Any], Any]) -> None:
    global _worker_function
    _worker_function = function
    leave_to_parent()


def _call_worker_function(item: Any) -> Any:
    return _worker_function(item)
