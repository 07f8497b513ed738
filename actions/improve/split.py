"""Split tasks into practice tasks and exam tasks.

Practice tasks show what to edit. Exam tasks, which the drafting model never sees, decide whether the edits are kept.
The split is made once, by the digests of the tasks, so that no one can choose the exam. Nearly equal tasks stay on one
side. A task that the drafting model may have seen is used for practice.
"""

from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher

import msgspec

from actions.improve.task_texts import TaskText

MIN_SIDE = 4
"""Minimum number of tasks on each side, because a result with fewer tasks proves nothing."""
_MIN_SIMILARITY = 0.9
"""Minimum similarity (of words in order) of nearly equal prompts."""

_MAX_ORDERED_WORDS = 400
"""Maximum number of words of a prompt to compare their order, because this takes quadratic time."""


class Split(msgspec.Struct, frozen=True):
    """The names of the practice tasks and of the exam tasks, and notes about the split."""

    practice: tuple[str, ...]
    exam: tuple[str, ...]
    notes: tuple[str, ...] = ()


def find_repeated_tasks(tasks: Sequence[TaskText]) -> Iterator[tuple[str, str]]:
    """Yield (earlier task, task) for each task that repeats the prompt, files and user of an earlier task."""
    seen: dict[tuple[object, ...], str] = {}
    for task in tasks:
        first = seen.setdefault((task.words, task.files, task.user), task.name)
        if first != task.name:
            yield first, task.name


def split_tasks(tasks: Sequence[TaskText], share: float, known: Collection[str], leaked: Collection[str]) -> Split:
    """Split tasks so that about `share` of the tasks become the exam and the others practice.

    The order of the tasks does not affect the split. `known` are the digests of tasks that were used before, for
    practice or in an exam. `leaked` are the names of tasks whose text is in the skill. Both become practice.
    """
    groups = _group_similar(tasks)
    unseen = [g for g in groups if not any(task.digest in known or task.name in leaked for task in g)]
    size, exam = round(share * len(tasks)), set[str]()
    for group in sorted(unseen, key=lambda group: min(task.digest for task in group)):
        if len(exam) + len(group) <= size:
            exam |= {task.name for task in group}
    practice, sealed = (tuple(t.name for t in tasks if (t.name in exam) is side) for side in (False, True))
    return Split(practice, sealed, tuple(_list_notes(groups, leaked)))


def _list_notes(groups: Sequence[Sequence[TaskText]], leaked: Collection[str]) -> Iterator[str]:
    for group in groups:
        if len(group) > 1:
            names = ", ".join(task.name for task in group)
            yield f"kept together, in practice or in the exam, because the tasks are nearly the same: {names}"
    if leaked:
        yield f"used for practice only, because the skill contains their prompts: {', '.join(sorted(leaked))}"


def _group_similar(tasks: Sequence[TaskText]) -> list[list[TaskText]]:
    groups: list[list[TaskText]] = []
    for task in tasks:
        similar = [group for group in groups if any(_are_similar(task, other) for other in group)]
        joined = [text for group in similar for text in group]
        groups = [group for group in groups if group not in similar]
        groups.append([*joined, task])
    return groups


def _are_similar(a: TaskText, b: TaskText) -> bool:
    """Return whether two tasks have the same files and, in the same order unless long, mostly the same words."""
    if a.files != b.files:
        return False
    first, second = a.words, b.words
    least = _MIN_SIMILARITY * (len(first) + len(second)) / 2
    if min(len(first), len(second)) < least or (a.counts & b.counts).total() < least:
        return False
    return max(len(first), len(second)) > _MAX_ORDERED_WORDS or (
        SequenceMatcher(None, first, second, autojunk=False).ratio() >= _MIN_SIMILARITY
    )
