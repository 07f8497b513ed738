"""Update the state after fixes were rolled back."""

from collections.abc import Collection

from msgspec.structs import replace

from actions.case import Case
from actions.patterns import get_patterns
from actions.reporting.report import render_report
from actions.review.scan_notes import drop_outdated_notes
from actions.scoring.issues import rank_issues
from actions.scoring.quality import is_unread, measure
from actions.scoring.scan import scan
from actions.steps.apply_fix import find_issues_after, update_hashes
from actions.steps.outcome import RolledBack
from actions.steps.verify import measure_state
from schemas.records import ChangeMade, State
from schemas.vocabulary import FixStatus, Gate, IssueStatus, Verification

BY_USER = "by the user"


def record_rollback(state: State, done: RolledBack) -> State:
    """Record a rollback: mark the fixes, measure the skill again and update the report, if any."""
    state = mark_rolled_back(state, done.fixes, done.made, done.why)
    state = mark_unmeasured(state, done.after) if isinstance(done.after, str) else measure_again(state, done.after)
    return replace(state, final_report=render_report(state)) if state.final_report is not None else state


def mark_rolled_back(
    state: State, ids: Collection[str], made: Collection[ChangeMade] = (), why: str = BY_USER
) -> State:
    """Mark the fixes `ids` as rolled back, and update the hashes of the changed files.

    Fixes that a killed process has already marked keep their reasons.
    """
    fixes = tuple(
        replace(f, status=FixStatus.ROLLED_BACK, reason=why)
        if f.id in ids and f.status is not FixStatus.ROLLED_BACK
        else f
        for f in state.proposed_fixes
    )
    applied_fixes = tuple(
        replace(a, verification_result=Verification.ROLLED_BACK, rollback_available=False, reason=why)
        if a.fix_id in ids and a.verification_result in (Verification.PASS, Verification.PENDING)
        else a
        for a in state.applied_fixes
    )
    return replace(update_hashes(state, made), proposed_fixes=fixes, applied_fixes=applied_fixes)


def measure_again(state: State, case: Case) -> State:
    """Update issues, score and gate to the current skill.

    The hashes of files are not updated, so that no pending fix changes a file that the user may have edited.
    """
    if not state.rounds:
        return state
    # A resolved issue may be back, and may be one of many on equal lines.
    known = [replace(issue, status=IssueStatus.OPEN) for issue in state.issues]
    result = scan(case, known=known)
    failed = tuple(f"{id} failed when the skill was measured again: {why}" for id, why in result.failed.items())
    notes = drop_outdated_notes(state.notes, result, result.list_conclusive(get_patterns()))
    state = add_notes(replace(state, notes=notes), (*failed, *result.truncation_notes))
    state = replace(state, issues=find_issues_after(state, result, case.skill))
    return measure_state(state, case.skill, unknown=result.is_incomplete or is_unread(state))


def mark_unmeasured(state: State, why: str) -> State:
    """Update the state for an unreadable skill: reopen resolved issues and fail the gate."""
    if not state.rounds:
        return state
    issues = rank_issues(
        replace(i, status=IssueStatus.OPEN) if i.status is IssueStatus.RESOLVED else i for i in state.issues
    )
    counts, points, _ = measure(issues)
    return replace(
        add_notes(state, (f"the skill could not be measured again: {why}",)),
        issues=issues,
        issues_by_severity=counts,
        quality_score=points,
        quality_gate=Gate.FAIL,
        tokens=None,
        layout=None,
    )


def add_files_left(state: State, fix_id: str, files: Collection[str]) -> State:
    """Add a note about the edited files in which a fix could not be undone."""
    if not files:
        return state
    clause = describe_files_left(files)

    def extend(reason: str | None) -> str:
        return f"{reason}; {clause}" if reason else clause

    fixes = (replace(f, reason=extend(f.reason)) if f.id == fix_id else f for f in state.proposed_fixes)
    applied_fixes = (replace(a, reason=extend(a.reason)) if a.fix_id == fix_id else a for a in state.applied_fixes)
    notes = (*state.notes, f"{fix_id}: {clause}")
    return replace(state, proposed_fixes=tuple(fixes), applied_fixes=tuple(applied_fixes), notes=notes)


def describe_files_left(files: Collection[str]) -> str:
    """Return a clause about the edited files in which a fix could not be undone."""
    return f"not undone, because of edits in {', '.join(files)}"


def add_notes(state: State, notes: Collection[str]) -> State:
    """Add notes to the state, without duplicates."""
    return replace(state, notes=tuple(dict.fromkeys((*state.notes, *notes))))
