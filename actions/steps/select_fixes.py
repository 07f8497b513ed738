"""action-select-fixes: select the fixes to apply: all proposed fixes, the safe ones, none, or the user's choice."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from actions.case import Case
from actions.fixes.drafting import refit_draft
from actions.fixes.merging import draft_parts, merge_drafts
from actions.fixes.proposals import sort_by_fix_order
from actions.fixes.records import list_executable
from actions.patterns import get_patterns
from actions.scoring.issues import make_issues, select_counted_issues
from actions.scoring.scan import scan
from actions.steps.outcome import AskSelection, Outcome, Tools
from schemas.issues import Issue
from schemas.records import Fix, State
from schemas.vocabulary import FixSource, FixStatus, IssueSource, Risk


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Select fixes according to `--apply`.

    With `ask`, the run pauses until the user has answered. Fixes of earlier rounds are not asked about again.
    """
    open_fixes = find_selectable(state)
    new_fixes = [fix for fix in open_fixes if fix.iteration == state.iteration_count]
    if state.options.apply == "ask" and new_fixes:
        issues = tuple(select_counted_issues(state.issues))
        ask = AskSelection(state, case, tuple(sorted(new_fixes, key=_make_sort_key(issues))), issues)
        return Outcome(state, f"{len(new_fixes)} to choose from", ask)
    safe = [fix for fix in open_fixes if fix.risk is Risk.LOW and fix.source is FixSource.STRATEGY]
    chosen_fixes = {"all": open_fixes, "safe": safe}.get(state.options.apply, [])
    return Outcome(select(state, [fix.id for fix in chosen_fixes]), f"{len(chosen_fixes)} selected")


def find_selectable(state: State) -> tuple[Fix, ...]:
    """Return the fixes that can be selected: those with the status `proposed`."""
    return tuple(fix for fix in state.proposed_fixes if fix.status is FixStatus.PROPOSED)


def select(state: State, ids: Collection[str]) -> State:
    """Select fixes for this round. The others stay proposed, and this round does not ask about them again."""
    fixes = tuple(
        replace(fix, status=FixStatus.SELECTED) if fix.id in ids and fix.status is FixStatus.PROPOSED else fix
        for fix in state.proposed_fixes
    )
    selected_fixes = sorted(
        (fix for fix in fixes if fix.status is FixStatus.SELECTED), key=_make_sort_key(sort_by_fix_order(state.issues))
    )
    return replace(
        state,
        proposed_fixes=fixes,
        pending_fixes=tuple(fix.id for fix in sorted(selected_fixes, key=lambda fix: fix.source is FixSource.MODEL)),
        rounds=(*state.rounds[:-1], replace(state.rounds[-1], selected=True)),
        pause=None,
    )


def _make_sort_key(issues: Sequence[Issue]) -> Callable[[Fix], int]:
    """Return a sort key for fixes: the position of a fix's first issue in `issues`."""
    positions = {issue.id: position for position, issue in enumerate(issues)}
    return lambda fix: min((positions[id] for id in fix.issue_ids if id in positions), default=len(positions))


class Preview(NamedTuple):
    """A proposed fix fitted to the text of a case, and the case after the fix."""

    fix: Fix
    after: Case


def preview_fix(state: State, fix: Fix, case: Case) -> Preview | None:
    """Apply a proposed fix to a case in memory, or return None if the fix does not fit the text."""
    issues = [issue for issue in state.issues if issue.id in fix.issue_ids]
    modules = [module for id, module in get_patterns().items() if any(issue.pattern == id for issue in issues)]
    current = {issue.id: issue for issue in make_issues(scan(case, modules, known=state.issues), state.issues)}
    claimed_issues = [current.get(i.id, i) for i in issues if i.id in current or i.source is not IssueSource.PARSER]
    new = draft_again(fix, claimed_issues, case, state.iteration_count)
    return Preview(new.fix, case.with_files(new.writes, list_executable(new.fix))) if new else None


class Redraft(NamedTuple):
    """A fix that was drafted again. `writes` maps paths to the new bytes, or None for deleted files."""

    fix: Fix
    writes: Mapping[str, bytes | None]


def draft_again(
    fix: Fix, claimed: Sequence[Issue], case: Case, number: int, without: Collection[str] = ()
) -> Redraft | None:
    """Draft a fix of the issues `claimed` again for the current text, or return None if it does not fit.

    `number` is the current round. Parts that change the files `without` are left out.
    """
    if fix.source is FixSource.MODEL:
        refitted_draft = refit_draft(fix, claimed, case, number)
        return Redraft(*refitted_draft) if refitted_draft else None
    parts = draft_parts(fix.strategy, claimed, case)
    remaining_parts = [part for part in parts if not any(path in without for path, _ in part.edits)]
    if not remaining_parts:
        return None
    merged_draft, _ = merge_drafts(remaining_parts, case)
    issues = claimed if len(parts) == 1 else [*merged_draft.issues.values()]
    new = replace(merged_draft, issues={issue.id: issue for issue in issues}).build_fix(fix.id, case, fix.iteration)
    return Redraft(replace(new, status=fix.status), merged_draft.draft.writes)
