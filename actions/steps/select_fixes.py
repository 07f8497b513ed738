"""action-select-fixes: which of the proposed fixes are applied: all, the safe ones, none, or those the user names."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from actions.case import Case
from actions.fixes.drafting import refit_draft
from actions.fixes.proposals import propose_drafts, sort_by_fix_order
from actions.fixes.records import build_fix
from actions.patterns import all_patterns
from actions.scoring.issues import make_issues, select_counted
from actions.scoring.scan import scan
from actions.steps.outcome import AskSelection, Outcome, Tools
from schemas.issues import Issue
from schemas.records import Fix, State
from schemas.vocabulary import FixSource, FixStatus, IssueSource, Risk


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Select by `--apply`; `ask` asks the user, and the run pauses when nobody answers.

    What was not chosen in an earlier round is not asked for again.
    """
    open_fixes = offered(state)
    fresh = [fix for fix in open_fixes if fix.iteration == state.iteration_count]
    if state.options.apply == "ask" and fresh:
        root, issues = state.target_skill.path or "", tuple(select_counted(state.issues))
        fixes = tuple(sorted(fresh, key=_place(issues)))
        ask = AskSelection(fixes, issues, root, partial(selected, state), partial(foreseen, state), case)
        return Outcome(note=f"{len(fixes)} to choose from", effects=(ask,))
    safe = [fix for fix in open_fixes if fix.risk is Risk.LOW and fix.source is FixSource.STRATEGY]
    chosen = {"all": open_fixes, "safe": safe}.get(state.options.apply, [])
    return Outcome(selected(state, [fix.id for fix in chosen]), note=f"{len(chosen)} selected")


def offered(state: State) -> tuple[Fix, ...]:
    """Return the fixes that can be selected."""
    return tuple(fix for fix in state.proposed_fixes if fix.status is FixStatus.PROPOSED)


def selected(state: State, ids: Collection[str]) -> Mapping[str, object]:
    """Return the changes of a selection. What is not chosen stays proposed; the round does not ask again."""
    fixes = tuple(
        replace(fix, status=FixStatus.SELECTED) if fix.id in ids and fix.status is FixStatus.PROPOSED else fix
        for fix in state.proposed_fixes
    )
    chosen = sorted(
        (fix for fix in fixes if fix.status is FixStatus.SELECTED), key=_place(sort_by_fix_order(state.issues))
    )
    return {
        "proposed_fixes": fixes,
        "pending_fixes": tuple(fix.id for fix in sorted(chosen, key=lambda fix: fix.source is FixSource.MODEL)),
        "rounds": (*state.rounds[:-1], replace(state.rounds[-1], selected=True)),
        "pause": None,
    }


def _place(issues: Sequence[Issue]) -> Callable[[Fix], int]:
    """Return what tells of a fix where the first of its issues stands among these."""
    places = {issue.id: place for place, issue in enumerate(issues)}
    return lambda fix: min((places[id] for id in fix.issue_ids if id in places), default=len(places))


def foreseen(state: State, fix: Fix, case: Case) -> tuple[Fix, Case] | None:
    """Return a proposed fix as it changes the text of a case, and the case then; None where it does not fit there."""
    about = [issue for issue in state.issues if issue.id in fix.issue_ids]
    looked = [module for id, module in all_patterns().items() if any(issue.pattern == id for issue in about)]
    now = {issue.id: issue for issue in make_issues(scan(case, looked), state.issues)}
    claimed = [now.get(issue.id, issue) for issue in about if issue.id in now or issue.source is not IssueSource.PARSER]
    new = drafted_anew(fix, claimed, case)
    return new and (new[0], case.with_skill(case.skill.with_files(new[1])))


def drafted_anew(fix: Fix, claimed: Sequence[Issue], case: Case) -> tuple[Fix, Mapping[str, bytes | None]] | None:
    """Return a fix of issues as it fits the present text, and what it writes; None where it does not fit."""
    if fix.source is FixSource.MODEL:
        return refit_draft(fix, claimed, case)
    for name, module, draft in (found for issue in claimed for found in propose_drafts(issue, case)):
        if name == fix.strategy:
            new = build_fix(fix.id, name, draft, claimed, case.skill, fix.iteration, module.STRATEGY.risk)
            return replace(new, status=fix.status), draft.writes
    return None
