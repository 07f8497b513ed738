"""action-propose-fixes: draft fixes for the open issues, with diffs."""

from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice

from msgspec.structs import replace

from actions.case import Case
from actions.fixes.drafting import draft_fixes, list_groups_to_draft
from actions.fixes.frontmatter_faults import find_author_only_findings
from actions.fixes.merging import DraftCollection, StrategyDraft
from actions.fixes.proposals import DRAFT_LIMIT, list_with_strategy, propose_drafts, sort_by_fix_order
from actions.fixes.records import describe_replacement
from actions.scoring.issues import hash_files
from actions.steps.guards import list_misfits
from actions.steps.outcome import AskFindings, Keep, Outcome, Tools
from schemas.issues import Issue
from schemas.records import Fix, State
from schemas.vocabulary import FixStatus
from templates.filters import counted

_LATER_NOTE = " for the first findings that can be fixed; the next round proposes the others"
_ENDED_STATUSES = (FixStatus.ROLLED_BACK, FixStatus.REFUSED, FixStatus.APPLIED)
_GONE_REASON = "a later round no longer found the findings of this fix"


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Draft a fix for every open issue that can be fixed. Fixes are numbered in the order of the findings.

    A failed fix is not proposed again. A fix that waits for the user's decision keeps its id and is drafted again or
    refused. If the user chooses the findings to fix, the run pauses for that choice before a model drafts anything.
    """
    if tools.picks_findings and tools.judge and state.rounds[-1].chosen is None:
        undrafted_issues = _list_issues_without_draft(state, case)
        if list_groups_to_draft(state, case, undrafted_issues):
            by_hand = tuple(sorted(find_author_only_findings(undrafted_issues, case.skill)))
            rounds = (*state.rounds[:-1], replace(state.rounds[-1], by_hand=by_hand))
            return Outcome(replace(state, rounds=rounds), "findings to choose from", AskFindings())
        state = _choose_all(state)
    drafts, untried = _collect_drafts(state, case)
    positions = {issue.id: position for position, issue in enumerate(state.issues)}
    drafts.sort(key=lambda strategy_draft: min(positions[id] for id in strategy_draft.issues))
    waiting_fixes = {fix.id: fix for fix in state.proposed_fixes if fix.status is FixStatus.PROPOSED}
    number = len(state.proposed_fixes)
    fixes: dict[str, Fix] = {}
    for strategy_draft in drafts:
        old = _pop_replaced_fix(waiting_fixes, strategy_draft.name, strategy_draft.issues)
        number += old is None
        id, iteration = (old.id, old.iteration) if old else (f"FIX-{number:03d}", state.iteration_count)
        fixes[id] = strategy_draft.build_fix(id, case, iteration)
    covered_ids = {id for fix in fixes.values() for id in fix.issue_ids}
    rest = [issue for issue in _list_chosen_issues(state) if issue.id not in covered_ids]
    by_judge = draft_fixes(state, case, tools.judge, rest, number)
    fixes |= by_judge.fixes
    withdrawn_fixes = {
        id: replace(fix, status=FixStatus.REFUSED, reason=_explain_withdrawal(fix, fixes))
        for id, fix in waiting_fixes.items()
        if id not in fixes and _is_due(state, fix)
    }
    earlier_fixes = {fix.id: fix for fix in state.proposed_fixes}
    rounds = (*state.rounds[:-1], replace(state.rounds[-1], proposed=True, untried=untried))
    offered_count = sum(fix.status is FixStatus.PROPOSED for fix in fixes.values())
    contents = (new for strategy_draft in drafts for new in strategy_draft.draft.writes.values() if new is not None)
    return Outcome(
        replace(
            by_judge.state, proposed_fixes=tuple({**earlier_fixes, **withdrawn_fixes, **fixes}.values()), rounds=rounds
        ),
        f"{counted(offered_count, 'fix', 'fixes')} proposed" + _LATER_NOTE * bool(untried),
        Keep((*contents, *by_judge.contents)),
    )


def _explain_withdrawal(fix: Fix, fixes: Mapping[str, Fix]) -> str:
    """Return why a fix that waited for the user is not among the `fixes` of this round."""
    new = next((id for id, other in fixes.items() if set(other.issue_ids) & set(fix.issue_ids)), "")
    return f"{fix.reason or _GONE_REASON}{f'; {describe_replacement(new)}' if new else ''}"


def begin_again(state: State, case: Case, tools: Tools) -> Outcome:
    """Begin a round that only redrafts the fixes that no longer fit the text."""
    number, ids = state.iteration_count + 1, tuple(id for fix in list_misfits(state) for id in fix.issue_ids)
    current = replace(
        state.rounds[-1], iteration=number, score=state.quality_score, gate=state.quality_gate,
        counts=state.issues_by_severity, tokens=state.tokens or state.rounds[-1].tokens, proposed=False,
        selected=False, fixes_kept=(), untried=(), chosen=ids,
    )  # fmt: skip
    target = replace(state.target_skill, files=hash_files(case.skill))
    rounds = (*state.rounds, current)
    return Outcome(replace(state, iteration_count=number, rounds=rounds, target_skill=target), f"round {number}")


def _list_chosen_issues(state: State) -> list[Issue]:
    """Return the open issues to fix (only those that the user chose, if any) in the order of fixing."""
    chosen_ids, only = state.rounds[-1].chosen, state.options.finding
    issues = sort_by_fix_order(state.issues)
    return [i for i in issues if (chosen_ids is None or i.id in chosen_ids) and only in (None, i.fingerprint)]


def _list_issues_without_draft(state: State, case: Case) -> list[Issue]:
    covered_ids = {id for strategy_draft in _collect_drafts(state, case)[0] for id in strategy_draft.issues}
    return [issue for issue in _list_chosen_issues(state) if issue.id not in covered_ids]


def _choose_all(state: State) -> State:
    """Record that this round fixes all open issues."""
    ids = tuple(issue.id for issue in _list_chosen_issues(state))
    return replace(state, rounds=(*state.rounds[:-1], replace(state.rounds[-1], chosen=ids)))


def _is_due(state: State, fix: Fix) -> bool:
    """Return whether a waiting fix belongs to this round because it fixes a chosen finding."""
    chosen_ids = state.rounds[-1].chosen
    return chosen_ids is None or any(id in chosen_ids for id in fix.issue_ids)


def _pop_replaced_fix(waiting: dict[str, Fix], strategy: str, issues: Mapping[str, Issue]) -> Fix | None:
    """Remove and return the fix in `waiting` that a draft replaces, or None."""
    ids = issues.keys()
    matching_ids = (id for id, fix in waiting.items() if fix.strategy == strategy and not ids.isdisjoint(fix.issue_ids))
    return waiting.pop(next(matching_ids, ""), None)


def _collect_drafts(state: State, case: Case) -> tuple[list[StrategyDraft], tuple[str, ...]]:
    """Return the drafts of strategies, and the ids of the untried issues.

    Issues are left untried if the round reaches its limit of bytes or time.
    """
    ended: dict[str, set[str]] = defaultdict(set)
    for fix in state.proposed_fixes:
        for id in fix.issue_ids if fix.status in _ENDED_STATUSES else ():
            ended[id].add(fix.strategy)
    collection = DraftCollection(case)
    by_id = {issue.id: issue for issue in state.issues}
    rest = _list_chosen_issues(state)

    def propose() -> None:
        while rest and collection.spent < DRAFT_LIMIT:
            issue = rest[0]
            related = [issue, *(by_id[id] for id in issue.related_issues)]
            drafts = ((cause, *draft) for cause in related for draft in propose_drafts(cause, case, ended[issue.id]))
            for cause, name, module, draft in islice(drafts, 1):
                collection.add(name, module, draft, (issue, cause))
            del rest[0]

    with suppress(TimeoutError):
        case.limited(propose)
    drafts, undrafted = collection.list_drafts()
    return drafts, list_with_strategy([*undrafted, *rest])
