"""Decide whether the finalist replaces the description, using the sealed prompts, a permutation test and guards."""

from collections.abc import Sequence

import msgspec

from actions.trigger.guards import Guard, find_regressions
from actions.trigger.matrix import Measured
from actions.trigger.repeats import find_first
from orchestrator.tuning.trial.statistics import ALPHA, Pairs, compare

RUNS = 2
"""Runs of each sealed prompt with each description. With only one, at least six prompts would have to change."""


class Decision(msgspec.Struct, frozen=True):
    """The result of an exam: whether the new description is better, and why. p: the p-value.

    count: the number of compared runs of each description. right_before, right_after: how many called the right skill.
    """

    is_better: bool
    why: str
    count: int
    right_before: int
    right_after: int
    p: float
    spoiled: tuple[Guard, ...] = ()


def decide(before: Sequence[Measured], after: Sequence[Measured], target: str) -> Decision:
    """Decide from the runs of the sealed prompts with each description, given in the same order.

    Prompts without a valid run with each description are left out. A guard has a regression in a prompt if all runs of
    the prompt are wrong with the new description, but not with the old one.
    """
    both = [pair for pair in zip(before, after, strict=True) if all(find_first(one.runs) for one in pair)]
    pairs = [Pairs(one.prompt.name, _list_right(one), _list_right(other)) for one, other in both]
    found = compare(pairs, ALPHA)
    spoiled = tuple(find_regressions([one for one, _ in both], [other for _, other in both], target, _is_wrong))
    right = sum(sum(pair.before) for pair in pairs), sum(sum(pair.after) for pair in pairs)
    is_better = found.verdict == "better" and not spoiled
    count = sum(len(pair.after) for pair in pairs)
    return Decision(is_better, _explain_decision(found.verdict, spoiled), count, *right, found.p_better, spoiled)


def find_least_change(count: int) -> int:
    """Return the minimum number of `count` sealed prompts that must become right for a significant gain."""
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


def _list_right(one: Measured) -> tuple[bool, ...]:
    return tuple(one.prompt.allows(run.called) for run in one.runs if not run.why)


def _is_wrong(one: Measured) -> bool:
    return not any(_list_right(one))
