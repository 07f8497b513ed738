"""Map a function over items in several processes."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def map_in_processes(
    function: Callable[[T], R], items: Sequence[T], measure: Callable[[T], int], count: int
) -> Iterator[tuple[int, R]]:
    """Yield place and result of each item, the largest first, so that no process is left alone with a large one."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    context = get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(count, context, signal.signal, (signal.SIGINT, signal.SIG_IGN))
    sizes = list(map(measure, items))
    order = sorted(range(len(items)), key=lambda place: -sizes[place])
    try:
        portion = max(1, min(16, len(items) // (count * 32)))
        results = pool.map(function, [items[place] for place in order], chunksize=portion)
        yield from zip(order, results, strict=True)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def count_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
