"""What a run still owes: the guards of the machine and of the table of actions."""

from schemas.records import State
from schemas.vocabulary import Gate


def too_many_errors(state: State) -> bool:
    """Return whether the run must give up."""
    return state.error_count >= state.max_errors


def round_is_open(state: State) -> bool:
    """Return whether a round was begun that verification has not recorded yet."""
    return state.iteration_count > len(state.rounds)


def needs_measure(state: State) -> bool:
    """Return whether score and gate are older than what is known."""
    return round_is_open(state) or not state.rounds[-1].measured


def fix_is_waiting(state: State) -> bool:
    """Return whether a selected fix has not been tried."""
    return bool(state.pending_fixes)


def another_round(state: State) -> bool:
    """Return whether to diagnose again: it kept a fix, rounds are left, and the gate is not passed or it was full.

    After a trial nothing is mended any more: it would be of another text than the one that was tried.
    """
    if state.trial is not None:
        return False
    kept = bool(state.rounds and state.rounds[-1].fixes_kept)
    wanted = kept and (state.quality_gate is not Gate.PASS or bool(state.rounds[-1].untried))
    return wanted and state.iteration_count < state.max_iterations


def step_limit(state: State) -> int:
    """Return the number of actions after which a run is going in circles: a fix costs two, to apply and to verify."""
    return 2 * state.max_iterations * (len(state.proposed_fixes) + 12)
