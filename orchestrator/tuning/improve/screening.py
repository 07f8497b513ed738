"""Decide whether a step is kept for the exam, from its screening (a few practice runs with the step)."""

from collections.abc import Sequence

from orchestrator.tuning.trial.statistics import Pairs, compute_tails
from schemas.improvement import Counts

MAX_P_VALUE = 0.2
"""The p-value up to which a step is kept. A screening proves nothing; it only keeps useless edits out of the exam.

For example, a task that failed three times and then succeeds twice has p = 1/5. A rule "more successes than before" is
not enough. The tasks were chosen because they failed, so even a useless edit seems to help them, and it would waste the
exam (measured in `benchmarks/improve.py`).
"""


def judge_screening(base: Sequence[Counts], with_step: Sequence[Counts], failing: Sequence[str]) -> str:
    """Return why a step is rejected after its screening, or "" if the step is kept.

    base, with_step: the runs without the step and the runs with it. A step is kept if it increases the number of
    successful runs of the failing tasks by more than chance explains. It is rejected if a task that always passed
    before now always fails.
    """
    without_step = {counts.task: counts for counts in base}
    run_tasks = [counts for counts in with_step if counts.passed]
    pairs = [
        Pairs(counts.task, without_step[counts.task].passed, counts.passed)
        for counts in run_tasks
        if counts.task in failing
    ]
    passed_before, passed_after = sum(sum(pair.before) for pair in pairs), sum(sum(pair.after) for pair in pairs)
    if passed_after <= passed_before or compute_tails(pairs)[0] > MAX_P_VALUE:
        runs_before, runs_after = sum(len(pair.before) for pair in pairs), sum(len(pair.after) for pair in pairs)
        return (
            f"the edit does not help: {passed_after} of {runs_after} runs of the failing tasks succeed with it, "
            f"{passed_before} of {runs_before} without it"
        )
    broken = [counts.task for counts in run_tasks if counts.task not in failing and not any(counts.passed)]
    return f"the edit breaks tasks that always passed before: {', '.join(broken)}" if broken else ""
