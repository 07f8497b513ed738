"""action-select-fixes: which of the proposed fixes are applied: all, the safe ones, none, or those the user names."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from actions.mending.proposals import in_order
from actions.skill import Case
from actions.steps.outcome import AskSelection, Outcome, Tools
from schemas.records import Fix, State
from schemas.vocabulary import FixStatus, Risk


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Select by `--apply`; `ask` asks the user, and the run pauses when nobody answers.

    A round that proposes nothing new does not ask: what was not chosen once is not asked for again.
    """
    open_fixes = offered(state)
    if state.options.apply == "ask" and any(fix.iteration == state.iteration_count for fix in open_fixes):
        root, issues = state.target_skill.path or "", tuple(in_order(state.issues))
        ask = AskSelection(open_fixes, issues, root, lambda ids: selected(state, ids))
        return Outcome(note=f"{len(open_fixes)} to choose from", effects=(ask,))
    chosen = {"all": open_fixes, "safe": [f for f in open_fixes if is_safe(f)]}.get(state.options.apply, [])
    return Outcome(selected(state, [fix.id for fix in chosen]), note=f"{len(chosen)} selected")


def is_safe(fix: Fix) -> bool:
    """Return whether a fix may be applied without being looked at: of low risk, and not drafted by a judge."""
    return fix.risk is Risk.LOW and fix.source == "mechanical"


def offered(state: State) -> tuple[Fix, ...]:
    """Return the fixes that can be selected."""
    return tuple(fix for fix in state.proposed_fixes if fix.status is FixStatus.PROPOSED)


def selected(state: State, ids: Collection[str]) -> Mapping[str, object]:
    """Return the changes of a selection. What is not chosen stays proposed; the round does not ask again."""
    fixes = tuple(
        replace(fix, status=FixStatus.SELECTED) if fix.id in ids and fix.status is FixStatus.PROPOSED else fix
        for fix in state.proposed_fixes
    )
    return {
        "proposed_fixes": fixes,
        "pending_fixes": pending(fixes),
        "rounds": (*state.rounds[:-1], replace(state.rounds[-1], selected=True)),
        "pause": None,
    }


def pending(fixes: Sequence[Fix]) -> tuple[str, ...]:
    """Return the ids of the selected fixes; proposals are already in the order of application."""
    return tuple(fix.id for fix in fixes if fix.status is FixStatus.SELECTED)
