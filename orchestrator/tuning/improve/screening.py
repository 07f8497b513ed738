"""Decide whether a step is worth an exam, based on its screening."""

from collections.abc import Sequence

from orchestrator.tuning.trial.statistics import Pairs, compute_tails
from schemas.improvement import Counts

LEVEL = 0.2
"""The p-value up to which a step is kept. Only the exam proves anything; the screening keeps useless edits out of it.

A task that failed three times and then succeeds twice has p = 1/5. "More successes than before" is not enough: tasks
are chosen by their failures, so a useless edit looks better on them and would use up the exam: `benchmarks/improve.py`.
"""


def judge_screening(base: Sequence[Counts], seen: Sequence[Counts], failing: Sequence[str]) -> str:
    """Return why a step is rejected after its screening; "" if it is kept.

    base, seen: the runs without and with the step. The step must make more runs of the failing tasks succeed than
    chance explains, and must not make a task that always passed always fail.
    """
    before = {counts.task: counts for counts in base}
    pairs = [Pairs(c.task, before[c.task].passed, c.passed) for c in seen if c.task in failing and c.passed]
    had, gained = (sum(sum(getattr(pair, side)) for pair in pairs) for side in ("before", "after"))
    if gained <= had or compute_tails(pairs)[0] > LEVEL:
        runs, earlier = (sum(len(getattr(pair, side)) for pair in pairs) for side in ("after", "before"))
        return f"it does not help: {gained} of {runs} runs of the failing tasks succeed, {had} of {earlier} without it"
    broken = [c.task for c in seen if c.task not in failing and c.passed and not any(c.passed)]
    return f"it breaks tasks that always passed before: {', '.join(broken)}" if broken else ""
