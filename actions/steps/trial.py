"""action-trial: run the original skill against the tuned one; roll back all fixes if it is worse by more than noise."""

from actions.case import Case
from actions.steps.outcome import Outcome, RunTrial, Tools
from schemas.records import State


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Ask for the trial."""
    return Outcome(state, "the original skill against the tuned one", RunTrial())
