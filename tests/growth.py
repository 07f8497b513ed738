"""Compare the time for a text with the time for twice the text, for code that reads hostile text.

One measurement on a busy machine proves nothing, so the comparison is repeated, and growth
is reported only if every try shows it.
"""

import gc
import time
from collections.abc import Callable

TRIES = 6
SLACK = 0.05
"""Seconds that are ignored, because the growth of such short times cannot be measured."""


def measure_seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds of one call, without garbage collection, whose time depends on earlier tests."""
    gc.disable()
    start = time.process_time()
    try:
        work()
        return time.process_time() - start
    finally:
        gc.enable()


def grows_at_most(measure: Callable[[int], float], small: int, large: int, *, factor: float) -> bool:
    """Return whether the time for `large` is at most `factor` times that for `small` in one of the tries."""
    return any((seconds := measure(large)) <= SLACK or seconds <= factor * measure(small) + SLACK for _ in range(TRIES))
