"""Define the transitions of an improvement: for each stage and guard, the work and the next stage.

    planned -> split -> measured -> diagnosed -> drafted -> proved -> screened -> examined -> applied
                                        any stage, when nothing more can be done -> left

`orchestrator/machine.py` enforces the table. The trigger of a row is the name of its work, which is done before the
stage changes.
"""

from collections.abc import Callable

import msgspec

from actions.improve.targets import choose_target, list_failing
from schemas.improvement import Improvement, Stage, StepStatus

Guard = Callable[[Improvement], bool]


class Row(msgspec.Struct, frozen=True):
    """One transition: its source stages, its trigger, its guard and its destination."""

    states: tuple[Stage, ...]
    trigger: str
    guard: Guard
    dest: Stage


def always(state: Improvement) -> bool:
    """Return True, for a transition without a condition."""
    return True


def may_pay(state: Improvement) -> bool:
    """Return whether the cost limit allows more spending."""
    return not state.limit


def has_failures(state: Improvement) -> bool:
    """Return whether there are failed practice runs, and the cost limit allows a model to sort them."""
    return not state.limit and any(counts.failures for counts in state.base)


def may_draft(state: Improvement) -> bool:
    """Return whether the limits allow another step, and a defect and a failing task are left."""
    is_within_limits = len(state.steps) < state.max_steps and not state.limit
    return is_within_limits and choose_target(state) is not None and bool(list_failing(state))


def has_draft(state: Improvement) -> bool:
    """Return whether the last step is a draft that was not rejected, and the cost limit allows a trial of it."""
    return not state.limit and bool(state.steps) and state.steps[-1].status is StepStatus.PROPOSED


def has_candidate(state: Improvement) -> bool:
    """Return whether a step was kept, and the cost limit allows the exam."""
    return bool(state.kept) and not state.exam_unpaid


def is_better(state: Improvement) -> bool:
    """Return whether the improvement passed the exam, so that its steps can be applied."""
    return state.exam is not None and state.exam.verdict == "better" and not state.problem


_BEFORE_EXAM = (Stage.DIAGNOSED, Stage.DRAFTED, Stage.PROVED, Stage.SCREENED)
TABLE: tuple[Row, ...] = (
    Row((Stage.PLANNED,), "split", always, Stage.SPLIT),
    Row((Stage.SPLIT,), "measure", may_pay, Stage.MEASURED),
    Row((Stage.MEASURED,), "diagnose", has_failures, Stage.DIAGNOSED),
    Row((Stage.DRAFTED,), "prove", has_draft, Stage.PROVED),
    Row((Stage.PROVED,), "screen", has_draft, Stage.SCREENED),
    Row(_BEFORE_EXAM, "draft", may_draft, Stage.DRAFTED),
    Row(_BEFORE_EXAM, "examine", has_candidate, Stage.EXAMINED),
    Row((Stage.EXAMINED,), "apply", is_better, Stage.APPLIED),
    Row((Stage.SPLIT, Stage.MEASURED, *_BEFORE_EXAM, Stage.EXAMINED), "leave", always, Stage.LEFT),
)


def find_next_row(state: Improvement) -> Row | None:
    """Return the next row, or None if the improvement has ended."""
    return next((row for row in TABLE if state.stage in row.states and row.guard(state)), None)
