"""What runs before and after say: better, worse or not known, with an interval and the noise floor. Pure.

Two things must agree for a verdict. An exact permutation test within the tasks: were both versions the same, each
assignment of the runs of a task to them would be as likely. And an interval of the mean difference that does not hold
zero, by a bootstrap over the tasks, so that one task alone decides nothing about the others.

A trial is looked at a few times. What each look may err is a share of 2.5 % a side, spent as O'Brien and Fleming's
bounds do (Lan and DeMets, Biometrika 1983, with the sum of the shares in place of their joint law: never too much).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from statistics import NormalDist, fmean
from typing import Literal

ALPHA = 0.025
"""How often equal versions may be called better over a whole trial; as often, worse."""

RESAMPLES = 9_999

Verdict = Literal["better", "worse", "not known"]


@dataclass(frozen=True)
class Pairs:
    """The runs of one task that count: whether each succeeded, in the order in which they were held."""

    task: str
    before: tuple[bool, ...]
    after: tuple[bool, ...]

    @property
    def difference(self) -> float:
        """The rate of success after, less that before."""
        return fmean(self.after) - fmean(self.before)


@dataclass(frozen=True)
class Interval:
    """A mean difference, the bounds that hold it, and how surely (0.95: in 95 of 100 trials)."""

    mean: float
    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Comparison:
    """What a look says. `p_better`, `p_worse`: how likely so many successes are where both versions are the same."""

    verdict: Verdict
    interval: Interval | None
    p_better: float
    p_worse: float
    level: float


def list_looks(rounds: int) -> tuple[int, ...]:
    """Return after how many rounds a trial is looked at: after each third."""
    return tuple(sorted({-(-rounds * part // 3) for part in (1, 2, 3)}))


def compute_level(look: int, rounds: int) -> float:
    """Return what the look after so many rounds may err, for each side, when those before it have had their share."""
    before = [each for each in list_looks(rounds) if each < look]
    return max(0.0, _spend_alpha(look / rounds) - (_spend_alpha(before[-1] / rounds) if before else 0.0))


def compute_last_level(look: int, rounds: int) -> float:
    """Return what a look may err after which nothing more can be run: all that is left."""
    before = [each for each in list_looks(rounds) if each < look]
    return ALPHA - (_spend_alpha(before[-1] / rounds) if before else 0.0)


def _spend_alpha(part: float) -> float:
    normal = NormalDist()
    return 2 * (1 - normal.cdf(normal.inv_cdf(1 - ALPHA / 2) / sqrt(part))) if part > 0 else 0.0


def compare(pairs: Sequence[Pairs], level: float) -> Comparison:
    """Return what the runs say at a look that may err so much for each side."""
    counted = [pair for pair in pairs if pair.before and pair.after]
    if not counted:
        return Comparison("not known", None, 1.0, 1.0, level)
    better, worse = compute_tails(counted)
    found = estimate_interval([pair.difference for pair in counted], 1 - 2 * level) if len(counted) > 1 else None
    verdict: Verdict = "not known"
    if better <= level and (found is None or found.low > 0):
        verdict = "better"
    elif worse <= level and (found is None or found.high < 0):
        verdict = "worse"
    return Comparison(verdict, found, better, worse, level)


def decide(pairs: Sequence[Pairs], number: int, rounds: int, payable: int | None = None) -> tuple[Comparison, str]:
    """Return what a look after `number` of `rounds` rounds says, and why no further round is worth its cost, or "".

    payable: the further rounds that the cost limit allows; None: all.
    """
    finding, left = compare(pairs, compute_level(number, rounds)), rounds - number
    if finding.verdict != "not known":
        return finding, f"decided after {number} of {rounds} rounds" if left else "decided"
    if not left:
        return finding, "all runs are held, and they do not decide"
    fresh, more = [Pairs(pair.task, (), ()) for pair in pairs], left if payable is None else payable
    if not can_decide(fresh, rounds, compute_level(rounds, rounds)):  # who asks for too few wants to see them
        return finding, ""
    if not can_decide(pairs, left, compute_level(rounds, rounds)):
        return finding, f"after {number} of {rounds} rounds no further one could decide"
    if not can_decide(pairs, more, compute_last_level(number + more, rounds)):
        return finding, f"after {number} of {rounds} rounds the cost limit leaves too few runs to decide"
    return finding, ""


def estimate_interval(differences: Sequence[float], confidence: float) -> Interval:
    """Return the mean of the tasks' differences, of two tasks or more, with its bootstrap interval (percentiles)."""
    from scipy.stats import bootstrap

    done = bootstrap(
        (differences,), _mean_along, confidence_level=confidence, n_resamples=RESAMPLES, method="percentile", rng=1
    )
    found = done.confidence_interval
    return Interval(fmean(differences), float(found.low), float(found.high), confidence)


def _mean_along(samples: "object", axis: int = -1) -> "object":
    """Return means along an axis, as a bootstrap wants its statistic."""
    return samples.mean(axis=axis)  # type: ignore[attr-defined]


def compute_tails(pairs: Sequence[Pairs]) -> tuple[float, float]:
    """Return how likely at least, and at most, so many successes after are where both versions are the same.

    Exact: in each task the successes are dealt to the runs by chance (hypergeometric), and the tasks add up.
    """
    law, seen = [1.0], 0
    for pair in pairs:
        law = _convolve(law, _distribute(pair))
        seen += sum(pair.after)
    return min(1.0, sum(law[seen:])), min(1.0, sum(law[: seen + 1]))


def _distribute(pair: Pairs) -> list[float]:
    runs, after = len(pair.before) + len(pair.after), len(pair.after)
    won = sum(pair.before) + sum(pair.after)
    ways = comb(runs, after)
    return [comb(won, hit) * comb(runs - won, after - hit) / ways for hit in range(after + 1)]


def _convolve(one: Sequence[float], other: Sequence[float]) -> list[float]:
    law = [0.0] * (len(one) + len(other) - 1)
    for a, p in enumerate(one):
        for b, q in enumerate(other):
            law[a + b] += p * q
    return law


def compute_noise_floor(pairs: Sequence[Pairs]) -> float | None:
    """Return the difference in successes that the version before shows against itself in 95 of 100 such trials.

    From each two runs of it on one task: how often they differ is twice the variance of a run. None with no two runs.
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
    """Return whether `left` more runs of each task and version could still decide at a level, however they went."""
    best = [Pairs(p.task, (*p.before, *[False] * left), (*p.after, *[True] * left)) for p in pairs]
    worst = [Pairs(p.task, (*p.before, *[True] * left), (*p.after, *[False] * left)) for p in pairs]
    return compute_tails(best)[0] <= level or compute_tails(worst)[1] <= level


def find_rounds_needed(tasks: int, most: int = 50) -> int | None:
    """Return in how many rounds so many tasks could decide anything at all; None where not even `most` do."""
    fresh = [Pairs(str(n), (), ()) for n in range(tasks)]
    return next(
        (rounds for rounds in range(2, most + 1) if can_decide(fresh, rounds, compute_level(rounds, rounds))), None
    )


def is_harmless(before: int, after: int, floor: float | None, verdict: Verdict) -> bool:
    """Return whether a change stays that should do no harm: not worse by more than noise, and than a single run."""
    return verdict != "worse" and before - after <= max(1.0, floor or 0.0)


def pair_runs(runs: Iterator[tuple[str, int, str, bool]] | Sequence[tuple[str, int, str, bool]]) -> list[Pairs]:
    """Return runs (task, number, version, success) as pairs of their tasks, in the order of their numbers."""
    found: dict[str, dict[str, list[tuple[int, bool]]]] = {}
    for task, number, version, won in runs:
        found.setdefault(task, {}).setdefault(version, []).append((number, won))

    def of(task: str, version: str) -> tuple[bool, ...]:
        return tuple(won for _, won in sorted(found[task].get(version, ())))

    return [Pairs(task, of(task, "before"), of(task, "after")) for task in found]
