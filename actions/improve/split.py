"""Split tasks into practice and a sealed exam.

The split is made once and by the digests of the tasks, so that no one can choose the exam. Nearly equal tasks stay on
one side. A task that a drafter may have seen is used for practice.
"""

from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher

import msgspec

from actions.improve.task_texts import TaskText

MIN_SIDE = 4
"""Minimum number of tasks on each side. With fewer tasks, a result proves nothing."""
_MIN_SIMILARITY = 0.9
"""Minimum similarity (of words in order) at which two prompts with the same files count as nearly equal."""

_MAX_ORDERED_WORDS = 400
"""Maximum number of words in a prompt to compare their order. This comparison takes quadratic time."""


class Split(msgspec.Struct, frozen=True):
    """The result of splitting tasks: the names of the practice tasks, the names of the exam tasks, and notes."""

    practice: tuple[str, ...]
    exam: tuple[str, ...]
    notes: tuple[str, ...] = ()


def find_repeated(tasks: Sequence[TaskText]) -> Iterator[tuple[str, str]]:
    """Yield (earlier task, task) for each task that repeats the prompt, files and user of an earlier task."""
    seen: dict[tuple[object, ...], str] = {}
    for task in tasks:
        first = seen.setdefault((task.words, task.files, task.user), task.name)
        if first != task.name:
            yield first, task.name


def split_tasks(tasks: Sequence[TaskText], share: float, known: Collection[str], leaked: Collection[str]) -> Split:
    """Split tasks so that about `share` of them become the exam and the others become practice.

    The order of the tasks does not affect the split. `known` are the digests of tasks that were used before, either for
    practice or in an opened exam. `leaked` are the names of tasks whose text is in the skill. All these tasks become
    practice.
    """
    groups = _group_alike(tasks)
    free = [g for g in groups if not any(task.digest in known or task.name in leaked for task in g)]
    wanted, exam = round(share * len(tasks)), list[TaskText]()
    for group in sorted(free, key=lambda group: min(task.digest for task in group)):
        if len(exam) + len(group) <= wanted:
            exam += group
    sealed = {task.name for task in exam}
    practice, chosen = (tuple(t.name for t in tasks if (t.name in sealed) is side) for side in (False, True))
    return Split(practice, chosen, tuple(_list_notes(groups, leaked)))


def _list_notes(groups: Sequence[Sequence[TaskText]], leaked: Collection[str]) -> Iterator[str]:
    for group in groups:
        if len(group) > 1:
            names = ", ".join(task.name for task in group)
            yield f"kept together, in practice or in the exam, because the tasks are nearly the same: {names}"
    if leaked:
        yield f"used for practice only, because the skill contains their prompts: {', '.join(sorted(leaked))}"


def _group_alike(tasks: Sequence[TaskText]) -> list[list[TaskText]]:
    groups: list[list[TaskText]] = []
    for task in tasks:
        near = [group for group in groups if any(_are_alike(task, other) for other in group)]
        joined = [text for group in near for text in group]
        groups = [group for group in groups if group not in near]
        groups.append([*joined, task])
    return groups


def _are_alike(a: TaskText, b: TaskText) -> bool:
    """Return whether two prompts share most of their words in the same order. The order of long prompts is ignored."""
    if a.files != b.files:
        return False
    first, second = a.words, b.words
    least = _MIN_SIMILARITY * (len(first) + len(second)) / 2
    if min(len(first), len(second)) < least or (a.counts & b.counts).total() < least:
        return False
    return max(len(first), len(second)) > _MAX_ORDERED_WORDS or (
        SequenceMatcher(None, first, second, autojunk=False).ratio() >= _MIN_SIMILARITY
    )
