"""Decide by the sealed prompts whether the finalist replaces a description: trial's permutation test, and guards."""

from collections.abc import Sequence
from dataclasses import dataclass

from actions.trigger.guards import Guard, find_spoiled
from actions.trigger.matrix import Measured
from actions.trigger.repeats import find_first
from actions.trigger.split import LEVEL
from orchestrator.tuning.trial.statistics import Pairs, compare


@dataclass(frozen=True)
class Decision:
    """The result of an exam: whether the description changes, and why; right prompts of both, and the p-value."""

    is_better: bool
    why: str
    count: int
    right_before: int
    right_after: int
    p: float
    spoiled: tuple[Guard, ...] = ()


def decide(before: Sequence[Measured], after: Sequence[Measured], target: str) -> Decision:
    """Decide from the runs of the sealed prompts, in the same order; only the first run of each is compared.

    Further runs of `after` only excuse a prompt that was right before: it spoils a guard if all its runs are wrong.
    """
    both = [pair for pair in zip(before, after, strict=True) if all(find_first(one.runs) for one in pair)]
    pairs = [Pairs(one.prompt.name, (_is_right(one),), (_is_right(other),)) for one, other in both]
    found = compare(pairs, LEVEL)
    spoiled = tuple(find_spoiled([one for one, _ in both], [other for _, other in both], target, _is_wrong))
    right = sum(_is_right(one) for one, _ in both), sum(_is_right(other) for _, other in both)
    is_better = found.verdict == "better" and not spoiled
    return Decision(is_better, _explain(found.verdict, spoiled), len(both), *right, found.p_better, spoiled)


def _explain(verdict: str, spoiled: Sequence[Guard]) -> str:
    if spoiled:
        return f"refused: it spoils {', '.join(guard.name for guard in spoiled)}"
    return "better on prompts that nobody tuned on" if verdict == "better" else "not shown to be better"


def _is_right(one: Measured) -> bool:
    first = find_first(one.runs)
    return first is not None and one.prompt.allows(first.called)


def _is_wrong(one: Measured) -> bool:
    """Return whether every run that did not fail is wrong."""
    return not any(one.prompt.allows(run.called) for run in one.runs if not run.why)
