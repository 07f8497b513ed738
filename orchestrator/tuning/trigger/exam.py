"""Decide whether the best drafted description (the finalist) replaces the current one.

The held-out prompts are run with both descriptions. The finalist must be better by a permutation test, and no guard
(a group of prompts) may become worse.
"""

from collections.abc import Sequence

import msgspec

from actions.trigger.guards import Guard, find_regressions
from actions.trigger.matrix import MeasuredPrompt
from actions.trigger.repeats import find_valid_run
from orchestrator.tuning.trial.statistics import ALPHA, Pairs, compare

RUNS = 2
"""Number of runs of a held-out prompt with each description. With one, at least six prompts would have to change."""


class Decision(msgspec.Struct, frozen=True):
    """The result of an exam: whether the new description is better, and why.

    count: the number of compared runs of each description. right_before, right_after: the number of these runs that
    called the right skill. p: the p-value. spoiled: the guards that are worse with the new description.
    """

    is_better: bool
    why: str
    count: int
    right_before: int
    right_after: int
    p: float
    spoiled: tuple[Guard, ...] = ()


def decide(before: Sequence[MeasuredPrompt], after: Sequence[MeasuredPrompt], target: str) -> Decision:
    """Decide from the runs of the held-out prompts whether the new description is better.

    before, after: the runs with the old and the new description, in the same order. A prompt without a valid run of
    each description is left out. A guard has a regression in a prompt if all runs of the prompt are wrong with the
    new description, but not with the old one.
    """
    valid = [
        (old, new)
        for old, new in zip(before, after, strict=True)
        if find_valid_run(old.runs) and find_valid_run(new.runs)
    ]
    pairs = [Pairs(old.prompt.name, _list_right(old), _list_right(new)) for old, new in valid]
    comparison = compare(pairs, ALPHA)
    spoiled = tuple(find_regressions([old for old, _ in valid], [new for _, new in valid], target, _is_wrong))
    return Decision(
        is_better=comparison.verdict == "better" and not spoiled,
        why=_explain_decision(comparison.verdict, spoiled),
        count=sum(len(pair.after) for pair in pairs),
        right_before=sum(sum(pair.before) for pair in pairs),
        right_after=sum(sum(pair.after) for pair in pairs),
        p=comparison.p_better,
        spoiled=spoiled,
    )


def find_least_change(count: int) -> int:
    """Return the least number of `count` held-out prompts that must become right for a significant gain."""
    wrong, right = (False,) * RUNS, (True,) * RUNS
    for changed in range(1, count + 1):
        pairs = [Pairs(str(n), wrong, right if n < changed else wrong) for n in range(count)]
        if compare(pairs, ALPHA).verdict == "better":
            return changed
    return count


def _explain_decision(verdict: str, spoiled: Sequence[Guard]) -> str:
    if spoiled:
        return f"refused: regressions in {', '.join(guard.name for guard in spoiled)}"
    return "better on prompts that were not used for tuning" if verdict == "better" else "not shown to be better"


def _list_right(measured: MeasuredPrompt) -> tuple[bool, ...]:
    return tuple(measured.prompt.allows(run.called) for run in measured.runs if not run.why)


def _is_wrong(measured: MeasuredPrompt) -> bool:
    return not any(_list_right(measured))
