"""Define the guards in the table of steps: conditions on the state that say what a run still has to do."""

from schemas.records import Fix, State
from schemas.vocabulary import FixStatus, Gate


def always(state: State) -> bool:
    """Return True, for a step without a condition."""
    return True


def too_many_errors(state: State) -> bool:
    """Return whether the run must give up."""
    return state.error_count >= state.max_errors


def needs_analysis(state: State) -> bool:
    """Return whether the user's description has not been analyzed."""
    return state.requirement_analysis is None


def round_is_open(state: State) -> bool:
    """Return whether the current round has not been measured for the first time."""
    return state.iteration_count > len(state.rounds)


def needs_round(state: State) -> bool:
    """Return whether a new round must begin before the next diagnosis."""
    return not round_is_open(state)


def needs_measure(state: State) -> bool:
    """Return whether score and gate are older than the findings."""
    return round_is_open(state) or not state.rounds[-1].measured


def needs_proposals(state: State) -> bool:
    """Return whether this round has not proposed fixes yet."""
    return not state.rounds[-1].proposed


def needs_selection(state: State) -> bool:
    """Return whether this round has not made its selection of fixes yet."""
    return not state.rounds[-1].selected


def fix_is_waiting(state: State) -> bool:
    """Return whether a selected fix has not been tried yet."""
    return bool(state.pending_fixes)


def needs_redraft(state: State) -> bool:
    """Return whether a chosen fix must be drafted again, because an earlier fix has changed the text that it edits."""
    return state.trial is None and bool(state.rounds[-1].fixes_kept) and bool(list_misfits(state))


def list_misfits(state: State) -> list[Fix]:
    """Return the fixes that no longer fitted the text when they were to be applied."""
    return [fix for fix in state.proposed_fixes if fix.is_misfit]


def another_round(state: State) -> bool:
    """Return whether to diagnose again: this round kept a fix, and rounds and work are left.

    Work is left if the gate is not passed, or if the round's limit left findings undrafted. After a trial, nothing more
    is fixed, because the trial has not tested the text with a later fix. If the user chose the findings to fix, another
    round runs only on request.
    """
    if state.trial is not None or (state.rounds and state.rounds[-1].chosen is not None):
        return False
    has_progress = bool(state.rounds and state.rounds[-1].fixes_kept)
    has_work = state.quality_gate is not Gate.PASS or bool(state.rounds and state.rounds[-1].untried)
    return has_progress and has_work and state.iteration_count < state.max_iterations


def needs_trial(state: State) -> bool:
    """Return whether the user asked for a trial that has not run, and a fix is applied."""
    applied = any(fix.status is FixStatus.APPLIED for fix in state.proposed_fixes)
    return state.options.trial is not None and state.trial is None and applied


def nothing_left(state: State) -> bool:
    """Return whether neither a selected fix nor another round is left."""
    return not fix_is_waiting(state) and not another_round(state)


def step_limit(state: State) -> int:
    """Return a number of steps that only an endless loop exceeds. A fix takes two steps: apply and verify."""
    return 2 * state.max_iterations * (len(state.proposed_fixes) + 12)
