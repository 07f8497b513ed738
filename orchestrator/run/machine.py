"""Enforce the table of a run: the phase changes only by a row whose guard is true, after the row's work is done."""

from collections.abc import Callable
from functools import partial

from transitions import Machine

from actions.steps.table import PENDING, TABLE, Guard
from schemas.records import State
from schemas.vocabulary import Phase


class RunMachine:
    """The model for `transitions`: holds the phase of a run, and its state for the guards."""

    state: Phase
    trigger: Callable[[str], bool]

    def __init__(self) -> None:
        self._run = State()
        rows = [
            {
                "trigger": row.trigger,
                "source": list(row.states),
                "dest": row.dest,
                "conditions": [partial(self._holds, row.guard)],
            }
            for row in TABLE
        ]
        self._machine = Machine(self, states=Phase, initial=PENDING, auto_transitions=False, transitions=rows)

    def _holds(self, guard: Guard) -> bool:
        return guard(self._run)

    def move(self, run: State, trigger: str) -> Phase:
        """Return the phase after `trigger`. Raises MachineError or ValueError if the table or the guard forbids it."""
        self._run = run
        self._machine.set_state(run.phase)
        if not self.trigger(trigger):
            raise ValueError(f"{trigger} is not allowed in {run.phase}: its guard is false")
        return self.state
