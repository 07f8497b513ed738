"""Enforce a state table: the state changes only by a row whose guard is true, after the work of the row is done."""

from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from transitions import Machine

S = TypeVar("S")
P = TypeVar("P", bound=Enum)
S_contra = TypeVar("S_contra", contravariant=True)
"""The type of the record that the guards check."""
P_co = TypeVar("P_co", bound=Enum, covariant=True)
"""The type of the states."""


class Row(Protocol[S_contra, P_co]):
    """A row of a state table."""

    @property
    def states(self) -> tuple[P_co, ...]:
        """The states in which the row applies."""
        ...

    @property
    def trigger(self) -> str:
        """The name of the row."""
        ...

    @property
    def guard(self) -> Callable[[S_contra], bool]:
        """The condition under which the row applies."""
        ...

    @property
    def dest(self) -> P_co:
        """The next state."""
        ...


class TableMachine(Generic[S, P]):
    """The model for `transitions`, with the current state and the record that the guards check."""

    state: P
    trigger: Callable[[str], bool]

    def __init__(self, table: Sequence[Row[S, P]], states: type[P]) -> None:
        self._record: Any = None
        rows = [
            {
                "trigger": row.trigger,
                "source": list(row.states),
                "dest": row.dest,
                "conditions": [partial(self._check_guard, row.guard)],
            }
            for row in table
        ]
        first = next(iter(states))
        self._machine = Machine(self, states=states, initial=first, auto_transitions=False, transitions=rows)

    def _check_guard(self, guard: Callable[[S], bool]) -> bool:
        return guard(self._record)

    def move(self, record: S, state: P, trigger: str) -> P:
        """Return the state after `trigger`. Raises MachineError or ValueError if the table or the guard forbids it."""
        self._record = record
        self._machine.set_state(state)
        if not self.trigger(trigger):
            raise ValueError(f"{trigger} is not allowed in {state.value}: its guard is false")
        return self.state
