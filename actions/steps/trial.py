"""action-trial: run the original and the tuned skill on the same tasks. If the tuned one is worse, roll back all fixes.

`continue_with` decides on the rollback.
"""

from actions.case import Case
from actions.steps.outcome import Outcome, RunTrial, Tools
from schemas.records import State


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Ask for the trial."""
    return Outcome(state, "the original skill against the tuned one", RunTrial())
