"""Choose the judge of one run at its first step, and book its cost once."""

from dataclasses import replace
from pathlib import Path

from actions.review.judge import Judge
from orchestrator.model import JudgeAccess, choose_judge
from orchestrator.model.environment import Say
from schemas.issues import Cost
from schemas.records import State


class RunJudge:
    """Chooses the judge of a run by its options, and books what it costs outside of a step."""

    def __init__(self, work_dir: Path, say: Say, access: JudgeAccess | None = None) -> None:
        self._work_dir, self._say = work_dir, say
        self._access = access
        self._unbooked = Cost()

    def access(self, state: State) -> JudgeAccess:
        """Return the access to the judge. The first call adds the cost that a stopped command has not booked."""
        if self._access is None:
            self._access = choose_judge(state.options, self._say, self._work_dir)
            self._unbooked = self._access.find_unrecorded_cost(state.cost)
        return self._access

    def judge(self, state: State) -> Judge | None:
        """Return the judge, or None without one."""
        return self.access(state).judge

    def waits(self) -> bool:
        """Return whether the run has to wait for answers from outside."""
        return self._access is not None and self._access.waits()

    def add_cost(self, cost: Cost) -> None:
        """Book a cost with the next step."""
        self._unbooked = self._unbooked + cost

    def book(self, state: State) -> State:
        """Return the state with the cost and the notes that no step has booked."""
        more, self._unbooked = self._unbooked, Cost()
        notes = tuple(dict.fromkeys((*state.notes, *self.access(state).notes)))
        return replace(state, cost=state.cost + more, notes=notes)
