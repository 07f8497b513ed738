"""Guard what a new description must not spoil: firing, silence, and every neighbour."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from actions.grouping import group_by_key
from actions.trigger.matrix import Measured
from actions.trigger.prompts import Prompt
from actions.trigger.repeats import Verdict
from templates.filters import counted


@dataclass(frozen=True)
class Guard:
    """What a description spoils: firing, silence, or a neighbour by name; and the prompts that are wrong with it."""

    name: str
    prompts: tuple[str, ...]


def name_guard(prompt: Prompt, target: str) -> str:
    """Return the guard of a prompt. target: the skill that is tuned."""
    if prompt.expected == target:
        return "firing"
    return f"the neighbour {prompt.expected}" if prompt.expected else "silence"


def find_spoiled(
    before: Sequence[Measured], after: Sequence[Measured], target: str, is_wrong: Callable[[Measured], bool]
) -> Iterator[Guard]:
    """Yield the guards with more wrong prompts after than before. The prompts of both are the same, in order."""
    pairs = ((name_guard(one.prompt, target), (one, other)) for one, other in zip(before, after, strict=True))
    for name, found in group_by_key(pairs).items():
        both = list(found)
        if sum(is_wrong(other) for _, other in both) > sum(is_wrong(one) for one, _ in both):
            yield Guard(name, tuple(other.prompt.text for one, other in both if is_wrong(other) and not is_wrong(one)))


def find_rejection(before: Sequence[Measured], after: Sequence[Measured], target: str) -> str:
    """Return why a description is no finalist, from its runs on the training prompts; "" if it can be one."""
    now, then = count_faults(before), count_faults(after)
    if spoiled := [*find_spoiled(before, after, target, is_fault)]:
        prompts = "; ".join(text for guard in spoiled for text in guard.prompts)
        return f"it spoils {', '.join(guard.name for guard in spoiled)}: {prompts}"
    return "" if then < now else f"{counted(then, 'fault')} on the training prompts, {now} with the current description"


def is_fault(one: Measured) -> bool:
    """Return whether a prompt is wrong in all its runs."""
    return one.verdict is Verdict.FAULT


def count_faults(measured: Sequence[Measured]) -> int:
    """Return the number of prompts that are wrong in all their runs."""
    return sum(map(is_fault, measured))
