"""Choose the judge of a run at its first step. Each cost is added to the state exactly once."""

from pathlib import Path

from msgspec.structs import replace

from actions.reporting.hints import quote_run
from actions.review.judge import Judge
from orchestrator.model import JudgeAccess, choose_judge, describe_used_limit
from orchestrator.model.environment import Say
from schemas.issues import Cost
from schemas.records import State


class RunJudge:
    """Chooses the judge of a run from its options, and collects the costs that are not part of a step."""

    def __init__(self, work_dir: Path, say: Say, access: JudgeAccess | None = None) -> None:
        self._work_dir, self._say = work_dir, say
        self._access = access
        self._pending = Cost()

    def get_access(self, state: State) -> JudgeAccess:
        """Return the access to the judge. The first call adds the cost that an interrupted command did not save."""
        if self._access is None:
            is_interrupted = state.current_action is not None and state.pause is None
            self._access = choose_judge(
                state.options, self._say, self._work_dir, quote_run(state), goes_on=is_interrupted
            )
            self._pending = self._access.find_unrecorded_cost(state.cost)
        return self._access

    def get_judge(self, state: State) -> Judge | None:
        """Return the judge, or None."""
        return self.get_access(state).judge

    def queue_open_questions(self) -> bool:
        """Queue the unanswered questions for an MCP client. Returns whether there are any; then the run must pause."""
        return self._access is not None and self._access.queue_open_questions()

    def add_cost(self, cost: Cost) -> None:
        """Add a cost. It is saved together with the next step."""
        self._pending = self._pending + cost

    def add_costs(self, state: State) -> State:
        """Return the state with the collected costs, and the judge's notes."""
        pending, self._pending = self._pending, Cost()
        notes = tuple(dict.fromkeys((*state.notes, *self.get_access(state).notes)))
        return replace(state, cost=state.cost + pending, notes=notes)


def format_resume(state: State, work_dir: Path) -> tuple[str, str]:
    """Return the command that continues a stopped run, and how much it has paid if that has used up its cost limit."""
    used = describe_used_limit(state.options, work_dir)
    return f"tune-skill resume {quote_run(state)}{' --max-cost-usd N' * bool(used)}", used
