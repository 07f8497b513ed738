"""action-trial: the tuned skill runs against the one that came; what makes it worse beyond noise goes back whole."""

from actions.case import Case
from actions.steps.outcome import HoldTrial, Outcome, Tools
from actions.steps.rounds import another_round, fix_is_waiting
from schemas.records import State
from schemas.vocabulary import FixStatus


def wanted(state: State) -> bool:
    """Return whether a trial is due: it is asked for, nothing is left to mend, and a fix stands."""
    stands = any(fix.status is FixStatus.APPLIED for fix in state.proposed_fixes)
    ended = not fix_is_waiting(state) and not another_round(state)
    return state.options.trial is not None and state.trial is None and stands and ended


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Let the shell hold it."""
    return Outcome(note="the tuned skill against the one that came", effects=(HoldTrial(),))
