"""Compare the runs of two versions. The result is a verdict (better, worse, not known), an interval and a noise floor.

A verdict needs two tests. One is an exact permutation test within the tasks: if both versions were the same, each
assignment of a task's runs to the versions would be equally likely. The other is a bootstrap over the tasks. Its
interval of the mean difference must not contain zero, so that no single task decides.

A trial is analyzed up to three times (interim analyses). The analyses share an error rate of 2.5 % per side, which
is divided by the bounds of O'Brien and Fleming (Lan and DeMets, Biometrika 1983). The error rates are added, which
is more conservative than their joint distribution.
"""

from collections.abc import Iterable, Sequence
from math import comb, sqrt
from statistics import NormalDist, fmean
from typing import Literal, NamedTuple

import msgspec

ALPHA = 0.025
"""The probability that a trial of equal versions ends with "better", and that it ends with "worse"."""

RESAMPLES = 9_999

TOO_FEW_RUNS = "the cost limit leaves too few runs to decide"
"""The reason to end a trial that more runs could decide, if the cost limit does not pay for them."""

Verdict = Literal["better", "worse", "not known"]


class Pairs(msgspec.Struct, frozen=True):
    """The runs of one task that have a known result. For each version: whether each run succeeded, in order."""

    task: str
    before: tuple[bool, ...]
    after: tuple[bool, ...]

    @property
    def difference(self) -> float:
        """The success rate of `after` minus the success rate of `before`."""
        return fmean(self.after) - fmean(self.before)


class GradedRun(NamedTuple):
    """A run with a known result. version: `before` or `after`."""

    task: str
    number: int
    version: str
    passed: bool


class Interval(msgspec.Struct, frozen=True):
    """A mean difference and its confidence interval.

    At a confidence level of 0.95, the interval contains the true value in 95 of 100 trials.
    """

    mean: float
    low: float
    high: float
    confidence: float


class Comparison(msgspec.Struct, frozen=True):
    """The result of an analysis.

    p_better, p_worse: the one-sided p-values of the permutation test. level: the error rate per side.
    """

    verdict: Verdict
    interval: Interval | None
    p_better: float
    p_worse: float
    level: float


def list_analyses(rounds: int) -> tuple[int, ...]:
    """Return the rounds after which a trial is analyzed: each third of its `rounds`."""
    return tuple(sorted({-(-rounds * part // 3) for part in (1, 2, 3)}))


def compute_level(number: int, rounds: int) -> float:
    """Return the error rate per side of the analysis after `number` rounds, without the part of earlier analyses."""
    earlier = [analysis for analysis in list_analyses(rounds) if analysis < number]
    return max(0.0, _spend_alpha(number / rounds) - (_spend_alpha(earlier[-1] / rounds) if earlier else 0.0))


def compute_last_level(number: int, rounds: int) -> float:
    """Return the error rate per side of the last possible analysis: the part that earlier analyses left."""
    earlier = [analysis for analysis in list_analyses(rounds) if analysis < number]
    return ALPHA - (_spend_alpha(earlier[-1] / rounds) if earlier else 0.0)


def _spend_alpha(part: float) -> float:
    """Return the error rate per side that may be used up to a `part` (0 to 1) of the rounds."""
    normal = NormalDist()
    return 2 * (1 - normal.cdf(normal.inv_cdf(1 - ALPHA / 2) / sqrt(part))) if part > 0 else 0.0


def compare(pairs: Sequence[Pairs], level: float, *, over_tasks: bool = True) -> Comparison:
    """Analyze the runs. level: the error rate per side. over_tasks: whether the bootstrap over the tasks must agree."""
    complete = [pair for pair in pairs if pair.before and pair.after]
    if not complete:
        return Comparison("not known", None, 1.0, 1.0, level)
    better, worse = compute_tails(complete)
    interval = estimate_interval([pair.difference for pair in complete], 1 - 2 * level) if len(complete) > 1 else None
    verdict: Verdict = "not known"
    if better <= level and (interval is None or interval.low > 0 or not over_tasks):
        verdict = "better"
    elif worse <= level and (interval is None or interval.high < 0 or not over_tasks):
        verdict = "worse"
    return Comparison(verdict, interval, better, worse, level)


def decide(
    pairs: Sequence[Pairs], number: int, rounds: int, payable: int | None = None, *,
    share: float = 1.0, over_tasks: bool = True,
) -> tuple[Comparison, str]:  # fmt: skip
    """Analyze a trial after `number` of `rounds` rounds. Returns the result, and why the trial ends here, or "".

    payable: the number of further rounds that the cost limit pays for; None means all. share: the part of the error
    rate that this trial can use. over_tasks: see `compare`.
    """
    result = compare(pairs, share * compute_level(number, rounds), over_tasks=over_tasks)
    remaining = rounds - number
    last_level = share * compute_level(rounds, rounds)
    if result.verdict != "not known":
        return result, f"decided after {number} of {rounds} rounds" if remaining else "decided"
    if not remaining:
        return result, "all runs are done, but they do not decide the result"
    no_runs, more = [Pairs(pair.task, (), ()) for pair in pairs], remaining if payable is None else payable
    if not can_decide(no_runs, rounds, last_level):  # too few rounds from the start: run them all
        return result, ""
    if not can_decide(pairs, remaining, last_level):
        return (
            result,
            f"stopped after {number} of {rounds} rounds, because further rounds cannot decide the result",
        )
    if not can_decide(pairs, more, share * compute_last_level(number + more, rounds)):
        return result, f"after {number} of {rounds} rounds, {TOO_FEW_RUNS}"
    return result, ""


def estimate_interval(differences: Sequence[float], confidence: float) -> Interval:
    """Return the mean of the differences of two or more tasks, with its percentile bootstrap interval."""
    import numpy  # scipy.stats has a bootstrap as well, but its import takes a second

    values, count = numpy.asarray(differences), len(differences)
    means = values[numpy.random.default_rng(1).integers(0, count, (RESAMPLES, count))].mean(axis=1)
    low, high = numpy.percentile(means, (50 * (1 - confidence), 50 * (1 + confidence)))
    return Interval(fmean(differences), float(low), float(high), confidence)


def compute_tails(pairs: Sequence[Pairs]) -> tuple[float, float]:
    """Return the two exact p-values of the observed successes of `after`.

    Both assume that the versions are equal. The first is the probability of at least so many successes, the second of
    at most so many. The successes in each task have a hypergeometric distribution. The distribution of their sum over
    all tasks is computed by convolution.
    """
    probabilities, successes = [1.0], 0
    for pair in pairs:
        probabilities = _convolve(probabilities, _compute_distribution(pair))
        successes += sum(pair.after)
    return min(1.0, sum(probabilities[successes:])), min(1.0, sum(probabilities[: successes + 1]))


def _compute_distribution(pair: Pairs) -> list[float]:
    """Return the probability of each number of successes of `after` in a task, assuming equal versions."""
    runs, after = len(pair.before) + len(pair.after), len(pair.after)
    successes = sum(pair.before) + sum(pair.after)
    assignments = comb(runs, after)
    return [comb(successes, n) * comb(runs - successes, after - n) / assignments for n in range(after + 1)]


def _convolve(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """Return the distribution of the sum of two independent numbers, each given by its distribution."""
    probabilities = [0.0] * (len(first) + len(second) - 1)
    for a, p in enumerate(first):
        for b, q in enumerate(second):
            probabilities[a + b] += p * q
    return probabilities


def compute_noise_floor(pairs: Sequence[Pairs]) -> float | None:
    """Return a difference in successes that chance alone rarely exceeds, or None if it is unknown.

    If `before` were compared with itself, only 5 of 100 trials would exceed this difference. It is unknown if no
    task has two runs of `before`. (The difference of two runs of a task has twice the variance of one run.)
    """
    if not any(len(pair.before) > 1 for pair in pairs):
        return None
    variance = 0.0
    for pair in pairs:
        runs, successes = len(pair.before), sum(pair.before)
        if runs > 1:
            disagreement = successes * (runs - successes) / comb(runs, 2)  # share of pairs of runs that differ
            variance += min(runs, len(pair.after)) * disagreement
    return NormalDist().inv_cdf(0.975) * sqrt(variance)


def can_decide(pairs: Sequence[Pairs], more: int, level: float) -> bool:
    """Return whether the result could be significant at `level` after `more` runs of each task and version."""
    best = [Pairs(p.task, (*p.before, *[False] * more), (*p.after, *[True] * more)) for p in pairs]
    worst = [Pairs(p.task, (*p.before, *[True] * more), (*p.after, *[False] * more)) for p in pairs]
    return compute_tails(best)[0] <= level or compute_tails(worst)[1] <= level


def find_rounds_needed(tasks: int, limit: int = 50) -> int | None:
    """Return the minimum number of rounds in which a trial of `tasks` tasks can be decided.

    Returns None if it exceeds `limit`.
    """
    no_runs = [Pairs(str(n), (), ()) for n in range(tasks)]
    return next(
        (rounds for rounds in range(2, limit + 1) if can_decide(no_runs, rounds, compute_level(rounds, rounds))), None
    )


def is_harmless(before: int, after: int, floor: float | None, verdict: Verdict) -> bool:
    """Return whether a change does no harm.

    This is true if its verdict is not "worse", and if it loses no more successes than the noise floor, or only one.

    before, after: the numbers of successes.
    """
    return verdict != "worse" and before - after <= max(1.0, floor or 0.0)


def pair_runs(runs: Iterable[GradedRun]) -> list[Pairs]:
    """Group runs by task. The runs of each version are ordered by their numbers."""
    groups: dict[str, dict[str, list[GradedRun]]] = {}
    for run in runs:
        groups.setdefault(run.task, {"before": [], "after": []})[run.version].append(run)

    def list_passed(task: str, version: str) -> tuple[bool, ...]:
        return tuple(run.passed for run in sorted(groups[task][version]))

    return [Pairs(task, list_passed(task, "before"), list_passed(task, "after")) for task in groups]
