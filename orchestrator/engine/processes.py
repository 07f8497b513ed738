"""Map a function over items in several processes."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")
_worker_function: Callable[[Any], Any]
"""The function that this worker process applies to its items."""


def map_in_processes(
    function: Callable[[T], R], items: Sequence[T], measure: Callable[[T], int], count: int
) -> Iterator[tuple[int, R]]:
    """Apply a function to items in `count` processes. Yield the index and the result of each item.

    The largest items, by `measure`, come first, so that no process starts a large item when the others are done.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    context = get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(count, context, _set_up_worker, (function,))
    sizes = list(map(measure, items))
    order = sorted(range(len(items)), key=lambda index: -sizes[index])
    try:
        chunk_size = max(1, min(16, len(items) // (count * 32)))
        results = pool.map(_call_worker_function, [items[index] for index in order], chunksize=chunk_size)
        yield from zip(order, results, strict=True)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _set_up_worker(function: Callable[[Any], Any]) -> None:
    """Set up a process. A forked process inherits the function; a spawned one gets a pickled copy."""
    import signal  # imported here because it is slow, and a scan of a few skills needs no processes

    global _worker_function
    _worker_function = function
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _call_worker_function(item: Any) -> Any:
    return _worker_function(item)


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
