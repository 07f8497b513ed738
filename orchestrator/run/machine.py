"""The machine: the states of a run and THE TABLE of its transitions.

    pending -> running -> diagnosis -> verify <-> apply-fix
                              ^          |
                              +----------+--> completed        any live state -> failed

Work happens in actions, outside of this machine: a state changes only after the work is done.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from transitions import Machine

from actions.steps.rounds import another_round, fix_is_waiting, too_many_errors
from schemas.records import State
from schemas.vocabulary import Phase

Guard = Callable[[State], bool]


def always(state: State) -> bool:
    """No condition."""
    return True


def nothing_left(state: State) -> bool:
    """No selected fix is left, and no further round is due."""
    return not fix_is_waiting(state) and not another_round(state)


@dataclass(frozen=True)
class Row:
    """One transition."""

    trigger: str
    source: tuple[Phase, ...]
    dest: Phase
    guard: Guard = always


LIVE = (Phase.PENDING, Phase.RUNNING, Phase.DIAGNOSIS, Phase.VERIFY, Phase.APPLY_FIX)
TABLE = (
    Row("start", (Phase.PENDING,), Phase.RUNNING),
    Row("diagnose", (Phase.RUNNING,), Phase.DIAGNOSIS),
    Row("verify", (Phase.DIAGNOSIS, Phase.APPLY_FIX), Phase.VERIFY),
    Row("apply_fix", (Phase.VERIFY,), Phase.APPLY_FIX, fix_is_waiting),
    Row("diagnose", (Phase.VERIFY,), Phase.DIAGNOSIS, another_round),
    Row("complete", (Phase.VERIFY,), Phase.COMPLETED, nothing_left),
    Row("fail", LIVE, Phase.FAILED, too_many_errors),
)


class Walk:
    """The model that `transitions` moves: the state as it is after the work, and its phase."""

    state: Phase
    trigger: Callable[[str], bool]

    def __init__(self, run: State) -> None:
        self.run = run
        Machine(self, states=Phase, initial=run.phase, auto_transitions=False, send_event=True, transitions=_rows())


def _rows() -> list[dict[str, Any]]:
    def condition(guard: Guard) -> Callable[[Any], bool]:
        return lambda event: guard(event.model.run)

    return [
        {
            "trigger": row.trigger,
            "source": list[Enum](row.source),
            "dest": row.dest,
            "conditions": [condition(row.guard)],
        }
        for row in TABLE
    ]


def moved(run: State, trigger: str) -> Phase:
    """Give the phase that `trigger` leads to. Raises MachineError or ValueError where table or guard forbid it."""
    walk = Walk(run)
    if not walk.trigger(trigger):
        raise ValueError(f"{trigger} is not allowed in {run.phase}: its guard does not hold")
    return walk.state


def next_trigger(run: State) -> str | None:
    """Give the first transition that is open from here, `fail` aside; None at the end."""
    rows = (row for row in TABLE if run.phase in row.source and row.trigger != "fail")
    return next((row.trigger for row in rows if row.guard(run)), None)
