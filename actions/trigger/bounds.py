"""Compute an upper bound for a fault rate from counts."""

from math import comb

CONFIDENCE = 0.95
_HALVINGS = 40


def compute_upper_bound(faults: int, count: int, confidence: float = CONFIDENCE) -> float:
    """Return the one-sided Clopper-Pearson upper bound of the fault rate (Biometrika, 1934).

    If the real rate were above the bound, so few faults would occur with a probability below 1 - confidence. For 0
    faults in 10 prompts, the bound is 26 %.
    """
    if faults >= count:
        return 1.0
    low, high = faults / count, 1.0
    for _ in range(_HALVINGS):
        rate = (low + high) / 2
        low, high = (rate, high) if _compute_tail(faults, count, rate) > 1 - confidence else (low, rate)
    return high


def _compute_tail(faults: int, count: int, rate: float) -> float:
    """Return the binomial probability of at most `faults` faults."""
    return sum(comb(count, k) * rate**k * (1 - rate) ** (count - k) for k in range(faults + 1))
