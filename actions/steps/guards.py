"""Define the guards in the table of steps: conditions on the state that select the next step."""

from schemas.records import Fix, State
from schemas.vocabulary import FixStatus, Gate


def always(state: State) -> bool:
    """Return True, for steps without a condition."""
    return True


def has_too_many_errors(state: State) -> bool:
    """Return whether the run must end because of too many errors."""
    return state.error_count >= state.max_errors


def needs_analysis(state: State) -> bool:
    """Return whether the user's description must still be analyzed."""
    return state.requirement_analysis is None


def is_round_open(state: State) -> bool:
    """Return whether a round has begun but is not measured yet, so that `rounds` has no record of it."""
    return state.iteration_count > len(state.rounds)


def needs_round(state: State) -> bool:
    """Return whether a new round must begin before the next diagnosis."""
    return not is_round_open(state)


def needs_measure(state: State) -> bool:
    """Return whether the findings have changed since score and quality gate were computed."""
    return is_round_open(state) or not state.rounds[-1].measured


def needs_proposals(state: State) -> bool:
    """Return whether this round must still propose fixes."""
    return not state.rounds[-1].proposed


def needs_selection(state: State) -> bool:
    """Return whether fixes must still be selected in this round."""
    return not state.rounds[-1].selected


def has_pending_fix(state: State) -> bool:
    """Return whether a selected fix must still be tried."""
    return bool(state.pending_fixes)


def needs_redraft(state: State) -> bool:
    """Return whether a chosen fix must be drafted again because an earlier fix changed its text."""
    return state.trial is None and bool(state.rounds[-1].fixes_kept) and bool(list_misfits(state))


def list_misfits(state: State) -> list[Fix]:
    """Return the fixes that could not be applied because they no longer fit the text."""
    return [fix for fix in state.proposed_fixes if fix.is_misfit]


def needs_another_round(state: State) -> bool:
    """Return whether to diagnose again: this round kept a fix, and both rounds and work are left.

    Work is left if the quality gate is not passed, or if the round reached its limit before each finding had a draft.
    There is no round after a trial, because the trial would not have tested the fixes of that round. If the user chose
    the findings to fix, another round runs only on request.
    """
    if state.trial is not None or (state.rounds and state.rounds[-1].chosen is not None):
        return False
    has_progress = bool(state.rounds and state.rounds[-1].fixes_kept)
    has_work = state.quality_gate is not Gate.PASS or bool(state.rounds and state.rounds[-1].untried)
    return has_progress and has_work and state.iteration_count < state.max_iterations


def needs_trial(state: State) -> bool:
    """Return whether a requested trial has not run yet and a fix is applied."""
    has_applied = any(fix.status is FixStatus.APPLIED for fix in state.proposed_fixes)
    return state.options.trial is not None and state.trial is None and has_applied


def is_finished(state: State) -> bool:
    """Return whether no selected fix is pending and no further round is needed."""
    return not has_pending_fix(state) and not needs_another_round(state)


def compute_step_limit(state: State) -> int:
    """Return a number of steps that only an endless loop exceeds. A fix takes two steps: apply and verify."""
    return 2 * state.max_iterations * (len(state.proposed_fixes) + 12)
