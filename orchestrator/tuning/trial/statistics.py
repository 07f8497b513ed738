"""Compare the runs before and after: better, worse or not known, with an interval and the noise floor.

A verdict needs two results. An exact permutation test within the tasks: if both versions were the same, each assignment
of the runs of a task to them would be equally likely. And a bootstrap over the tasks, whose interval of the mean
difference must exclude zero, so that no single task decides.

A trial is analyzed up to three times (interim analyses). They share an error rate of 2.5 % per side, spent as by
O'Brien and Fleming's bounds (Lan and DeMets, Biometrika 1983; the sum of the shares replaces their joint distribution,
which is conservative).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from statistics import NormalDist, fmean
from typing import Literal

ALPHA = 0.025
"""The probability that a trial of equal versions says "better", and likewise "worse"."""

RESAMPLES = 9_999

Verdict = Literal["better", "worse", "not known"]


@dataclass(frozen=True)
class Pairs:
    """The runs of one task with a known result: whether each succeeded, in the order of the runs."""

    task: str
    before: tuple[bool, ...]
    after: tuple[bool, ...]

    @property
    def difference(self) -> float:
        """The success rate after, minus the success rate before."""
        return fmean(self.after) - fmean(self.before)


@dataclass(frozen=True)
class Interval:
    """A mean difference and its interval at a confidence level (0.95: 95 of 100 trials)."""

    mean: float
    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Comparison:
    """The result of an analysis. p_better, p_worse: the one-sided p-values of the permutation test."""

    verdict: Verdict
    interval: Interval | None
    p_better: float
    p_worse: float
    level: float


def list_analyses(rounds: int) -> tuple[int, ...]:
    """Return the numbers of rounds after which a trial is analyzed: after each third."""
    return tuple(sorted({-(-rounds * part // 3) for part in (1, 2, 3)}))


def compute_level(number: int, rounds: int) -> float:
    """Return the error rate per side for the analysis after `number` rounds, minus that spent by earlier ones."""
    before = [each for each in list_analyses(rounds) if each < number]
    return max(0.0, _spend_alpha(number / rounds) - (_spend_alpha(before[-1] / rounds) if before else 0.0))


def compute_last_level(number: int, rounds: int) -> float:
    """Return the error rate per side for the last possible analysis: all that earlier ones have not spent."""
    before = [each for each in list_analyses(rounds) if each < number]
    return ALPHA - (_spend_alpha(before[-1] / rounds) if before else 0.0)


def _spend_alpha(part: float) -> float:
    normal = NormalDist()
    return 2 * (1 - normal.cdf(normal.inv_cdf(1 - ALPHA / 2) / sqrt(part))) if part > 0 else 0.0


def compare(pairs: Sequence[Pairs], level: float, *, over_tasks: bool = True) -> Comparison:
    """Analyze the runs at an error rate (`level`) per side. over_tasks: no single task may decide (the bootstrap)."""
    counted = [pair for pair in pairs if pair.before and pair.after]
    if not counted:
        return Comparison("not known", None, 1.0, 1.0, level)
    better, worse = compute_tails(counted)
    found = estimate_interval([pair.difference for pair in counted], 1 - 2 * level) if len(counted) > 1 else None
    verdict: Verdict = "not known"
    if better <= level and (found is None or found.low > 0 or not over_tasks):
        verdict = "better"
    elif worse <= level and (found is None or found.high < 0 or not over_tasks):
        verdict = "worse"
    return Comparison(verdict, found, better, worse, level)


def decide(
    pairs: Sequence[Pairs], number: int, rounds: int, payable: int | None = None, *,
    share: float = 1.0, over_tasks: bool = True,
) -> tuple[Comparison, str]:  # fmt: skip
    """Analyze a trial after `number` of `rounds` rounds; return the result, and the reason to end the trial, or "".
    payable: how many more rounds the cost limit allows; None: all. share: the part of the error rate that it may use.
    over_tasks: see `compare`.
    """
    finding = compare(pairs, share * compute_level(number, rounds), over_tasks=over_tasks)
    left = rounds - number
    last = share * compute_level(rounds, rounds)
    if finding.verdict != "not known":
        return finding, f"decided after {number} of {rounds} rounds" if left else "decided"
    if not left:
        return finding, "all runs are done, without a decision"
    fresh, more = [Pairs(pair.task, (), ()) for pair in pairs], left if payable is None else payable
    if not can_decide(fresh, rounds, last):  # too few rounds from the start: run them all
        return finding, ""
    if not can_decide(pairs, left, last):
        return finding, f"after {number} of {rounds} rounds, no further round could decide"
    if not can_decide(pairs, more, share * compute_last_level(number + more, rounds)):
        return finding, f"after {number} of {rounds} rounds, the cost limit leaves too few runs to decide"
    return finding, ""


def estimate_interval(differences: Sequence[float], confidence: float) -> Interval:
    """Return the mean of the differences of two or more tasks, with its percentile bootstrap interval."""
    from scipy.stats import bootstrap

    done = bootstrap(
        (differences,), _compute_means, confidence_level=confidence, n_resamples=RESAMPLES, method="percentile", rng=1
    )
    found = done.confidence_interval
    return Interval(fmean(differences), float(found.low), float(found.high), confidence)


def _compute_means(samples: "object", axis: int = -1) -> "object":
    """Return the means along an axis, as the statistic for the bootstrap."""
    return samples.mean(axis=axis)  # type: ignore[attr-defined]


def compute_tails(pairs: Sequence[Pairs]) -> tuple[float, float]:
    """Return the p-values for at least, and for at most, this many successes after, assuming equal versions.
    They are exact: in each task the successes have a hypergeometric distribution; the tasks are summed by convolution.
    """
    chances, seen = [1.0], 0
    for pair in pairs:
        chances = _convolve(chances, _distribute(pair))
        seen += sum(pair.after)
    return min(1.0, sum(chances[seen:])), min(1.0, sum(chances[: seen + 1]))


def _distribute(pair: Pairs) -> list[float]:
    runs, after = len(pair.before) + len(pair.after), len(pair.after)
    won = sum(pair.before) + sum(pair.after)
    ways = comb(runs, after)
    return [comb(won, hit) * comb(runs - won, after - hit) / ways for hit in range(after + 1)]


def _convolve(one: Sequence[float], other: Sequence[float]) -> list[float]:
    chances = [0.0] * (len(one) + len(other) - 1)
    for a, p in enumerate(one):
        for b, q in enumerate(other):
            chances[a + b] += p * q
    return chances


def compute_noise_floor(pairs: Sequence[Pairs]) -> float | None:
    """Return the difference in successes within which `before` differs from itself in 95 of 100 such trials.

    Two runs of one task differ with twice the variance of a run. None if no task has two runs.
    """
    if not any(len(pair.before) > 1 for pair in pairs):
        return None
    variance = 0.0
    for pair in pairs:
        runs, won = len(pair.before), sum(pair.before)
        if runs > 1:
            disagree = won * (runs - won) / comb(runs, 2)  # of two runs of before
            variance += min(runs, len(pair.after)) * disagree
    return NormalDist().inv_cdf(0.975) * sqrt(variance)


def can_decide(pairs: Sequence[Pairs], left: int, level: float) -> bool:
    """Return whether `left` more runs of each task and version could still decide at a level, in the best case."""
    best = [Pairs(p.task, (*p.before, *[False] * left), (*p.after, *[True] * left)) for p in pairs]
    worst = [Pairs(p.task, (*p.before, *[True] * left), (*p.after, *[False] * left)) for p in pairs]
    return compute_tails(best)[0] <= level or compute_tails(worst)[1] <= level


def find_rounds_needed(tasks: int, limit: int = 50) -> int | None:
    """Return the smallest number of rounds in which `tasks` tasks can decide; None if `limit` rounds are not enough."""
    fresh = [Pairs(str(n), (), ()) for n in range(tasks)]
    return next(
        (rounds for rounds in range(2, limit + 1) if can_decide(fresh, rounds, compute_level(rounds, rounds))), None
    )


def is_harmless(before: int, after: int, floor: float | None, verdict: Verdict) -> bool:
    """Return whether a change is harmless: not worse by more than the noise, or than one run."""
    return verdict != "worse" and before - after <= max(1.0, floor or 0.0)


def pair_runs(runs: Iterator[tuple[str, int, str, bool]] | Sequence[tuple[str, int, str, bool]]) -> list[Pairs]:
    """Group runs (task, number, version, success) by task, in the order of their numbers."""
    found: dict[str, dict[str, list[tuple[int, bool]]]] = {}
    for task, number, version, won in runs:
        found.setdefault(task, {}).setdefault(version, []).append((number, won))

    def list_results(task: str, version: str) -> tuple[bool, ...]:
        return tuple(won for _, won in sorted(found[task].get(version, ())))

    return [Pairs(task, list_results(task, "before"), list_results(task, "after")) for task in found]
