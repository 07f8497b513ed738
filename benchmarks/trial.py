"""Measure the error rates and the power of the verdicts of trials, on simulated trials.

    ./dev bench trial               200 trials a row: equal versions, and gains
    ./dev bench trial --trials 2000

The decisions at each interim analysis are those of the product (`orchestrator/tuning/trial/statistics.py`); only the
successes of the runs are random. Each task has its own success rate and its own gain around the mean.
"""

import argparse
import random
import sys
from collections import Counter
from itertools import product

from orchestrator.tuning.trial.statistics import Pairs, Verdict, decide, list_analyses

TASKS, ROUNDS = (4, 8, 16), (5, 10)
GAINS = (0.0, 0.2, 0.3, 0.4, 0.6)


def simulate(seed: int, *, tasks: int, rounds: int, gain: float, spread: float = 0.15) -> Verdict:
    """Return the verdict of one simulated trial. With a gain of 0 both versions are the same text."""
    draw = random.Random(f"{seed} {tasks} {rounds} {gain}")
    rates = [draw.uniform(0.05, 0.95) if gain == 0 else draw.uniform(0.1, 0.9 - min(gain, 0.7)) for _ in range(tasks)]
    new_rates = [min(1.0, max(0.0, rate + draw.gauss(gain, spread))) if gain else rate for rate in rates]
    runs = [([draw.random() < a for _ in range(rounds)], [draw.random() < b for _ in range(rounds)])
            for a, b in zip(rates, new_rates, strict=True)]  # fmt: skip
    for look in list_analyses(rounds):
        pairs = [Pairs(str(n), tuple(before[:look]), tuple(after[:look])) for n, (before, after) in enumerate(runs)]
        comparison, ended = decide(pairs, look, rounds)
        if ended:
            return comparison.verdict
    raise RuntimeError("a trial did not end")


def main() -> int:
    """Print the table; return 1 if more than 5 % of trials with equal versions have the verdict "better"."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--trials", type=int, default=200)
    trials = parser.parse_args().trials
    print(f"{'tasks':>5} {'runs':>5} {'gain':>5} {'better':>7} {'worse':>7} {'not known':>10}   of {trials} trials")
    worst = 0.0
    for tasks, rounds, gain in product(TASKS, ROUNDS, GAINS):
        verdicts = Counter(simulate(seed, tasks=tasks, rounds=rounds, gain=gain) for seed in range(trials))
        rates = {word: verdicts[word] / trials for word in ("better", "worse", "not known")}
        row = f"{tasks:>5} {rounds:>5} {gain:>5.1f} {rates['better']:>7.1%} {rates['worse']:>7.1%}"
        print(f"{row} {rates['not known']:>10.1%}", flush=True)
        worst = max(worst, rates["better"]) if gain == 0 else worst
    print(f"equal versions called better: at most {worst:.1%}")
    return int(worst > 0.05)


if __name__ == "__main__":
    sys.exit(main())
