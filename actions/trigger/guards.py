"""Check that a new description makes no group of prompts worse.

The groups are the prompts that expect the skill (firing), no skill (silence), or another skill (one group for each
neighbour).
"""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from actions.grouping import group_by_key
from actions.trigger.matrix import MeasuredPrompt
from actions.trigger.prompts import Prompt
from actions.trigger.repeats import Verdict
from templates.filters import counted


class Guard(msgspec.Struct, frozen=True):
    """A group of prompts that a description makes worse: its name and the prompts that are wrong only afterwards."""

    name: str
    prompts: tuple[str, ...]


def name_guard(prompt: Prompt, target: str) -> str:
    """Return the name of a prompt's group. `target` is the skill that is tuned."""
    if prompt.expected == target:
        return "firing"
    return f"the neighbour {prompt.expected}" if prompt.expected else "silence"


def find_regressions(
    before: Sequence[MeasuredPrompt],
    after: Sequence[MeasuredPrompt],
    target: str,
    is_wrong: Callable[[MeasuredPrompt], bool],
) -> Iterator[Guard]:
    """Yield the groups with more wrong prompts in `after` than in `before`.

    Both sequences have the same prompts in the same order.
    """
    pairs = ((name_guard(old.prompt, target), (old, new)) for old, new in zip(before, after, strict=True))
    for name, group in group_by_key(pairs).items():
        members = list(group)
        if sum(is_wrong(new) for _, new in members) > sum(is_wrong(old) for old, _ in members):
            yield Guard(name, tuple(new.prompt.text for old, new in members if is_wrong(new) and not is_wrong(old)))


def find_rejection(before: Sequence[MeasuredPrompt], after: Sequence[MeasuredPrompt], target: str) -> str:
    """Return why a description cannot be a finalist, or "", judging by the runs of the training prompts."""
    old_count, new_count = count_faults(before), count_faults(after)
    if worse := [*find_regressions(before, after, target, is_fault)]:
        prompts = "; ".join(text for guard in worse for text in guard.prompts)
        return f"regressions in {', '.join(guard.name for guard in worse)}: {prompts}"
    reason = f"{counted(new_count, 'fault')} on the training prompts, {old_count} with the current description"
    return "" if new_count < old_count else reason


def is_fault(measured: MeasuredPrompt) -> bool:
    """Return whether all runs of a prompt were wrong."""
    return measured.verdict is Verdict.FAULT


def count_faults(measured: Sequence[MeasuredPrompt]) -> int:
    """Return the number of prompts whose runs are all wrong."""
    return sum(map(is_fault, measured))
