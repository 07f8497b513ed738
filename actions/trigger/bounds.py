"""Bound the rate of faults from a count."""

from math import comb

CONFIDENCE = 0.95
_STEPS = 40


def compute_upper_bound(faults: int, count: int, confidence: float = CONFIDENCE) -> float:
    """Return the one-sided Clopper-Pearson bound: the rate at which so few faults would be rarer than 1 - confidence.

    0 of 10 means at most 26 %. Source: Clopper and Pearson, Biometrika 1934.
    """
    if faults >= count:
        return 1.0
    low, high = faults / count, 1.0
    for _ in range(_STEPS):
        rate = (low + high) / 2
        low, high = (rate, high) if _compute_tail(faults, count, rate) > 1 - confidence else (low, rate)
    return high


def _compute_tail(faults: int, count: int, rate: float) -> float:
    """Return the probability of at most this many faults."""
    return sum(comb(count, k) * rate**k * (1 - rate) ** (count - k) for k in range(faults + 1))
