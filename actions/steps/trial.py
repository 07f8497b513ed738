"""action-trial: run original and tuned skill on the same tasks. All fixes are rolled back if the tuned one is worse.

`continue_with` decides on the rollback.
"""

from actions.case import Case
from actions.steps.outcome import Outcome, RunTrial, Tools
from schemas.records import State


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Ask for the trial."""
    return Outcome(state, "the original skill against the tuned one", RunTrial())
