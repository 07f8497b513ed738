"""action-trial: run the original and the tuned skill on the same tasks.

If the tuned skill is worse, `continue_with` requests to roll back all fixes.
"""

from actions.case import Case
from actions.steps.outcome import Outcome, RunTrial, Tools
from schemas.records import State


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Request the trial."""
    return Outcome(state, "the original skill against the tuned one", RunTrial())
