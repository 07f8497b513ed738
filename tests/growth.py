"""Compare the time for a text with the time for twice as much, for every part that reads hostile text.

A single measurement on a busy machine proves nothing. So the comparison is repeated, and growth
is reported only if every try shows it.
"""

import gc
import time
from collections.abc import Callable

TRIES = 6
SLACK = 0.05
"""Seconds that do not count: of a shorter time no growth is to be seen."""


def measure_seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds of one call, without garbage collections, which grow with earlier tests."""
    gc.disable()
    began = time.process_time()
    try:
        work()
        return time.process_time() - began
    finally:
        gc.enable()


def grows_at_most(measure: Callable[[int], float], small: int, large: int, *, factor: float) -> bool:
    """Return whether the time for `large` is at most `factor` times that for `small` in one of the tries."""
    return any((taken := measure(large)) <= SLACK or taken <= factor * measure(small) + SLACK for _ in range(TRIES))
