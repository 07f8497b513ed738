"""Enforce the table of a run: a phase changes only along a row whose guard holds, and only after the row's work."""

from collections.abc import Callable
from functools import partial

from transitions import Machine

from actions.steps.table import PENDING, TABLE, Guard
from schemas.records import State
from schemas.vocabulary import Phase


class RunMachine:
    """The model that `transitions` moves: the phase of a run, and the run's state for the guards."""

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
        """Return the phase that `trigger` leads to. Raises MachineError or ValueError if table or guard forbid it."""
        self._run = run
        self._machine.set_state(run.phase)
        if not self.trigger(trigger):
            raise ValueError(f"{trigger} is not allowed in {run.phase}: its guard does not hold")
        return self.state
