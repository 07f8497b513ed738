"""Change the phase of a run as its transition table allows, if the guard of the row is true."""

from actions.steps.table import TABLE
from orchestrator.machine import TableMachine
from schemas.records import State
from schemas.vocabulary import Phase


class RunMachine:
    """The state machine that a run's table defines."""

    def __init__(self) -> None:
        self._machine = TableMachine(TABLE, Phase)

    def move(self, run: State, trigger: str) -> Phase:
        """Return the phase after `trigger`.

        Raises MachineError or ValueError if the table or a guard does not allow the transition.
        """
        return self._machine.move(run, run.phase, trigger)
