"""What a rollback means for the state: fixes no longer stand, and what they mended is measured anew."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from actions.case import Case
from actions.reporting.layout import measure_layout
from actions.scoring.issues import rank_issues
from actions.scoring.quality import count_tokens, measure
from actions.scoring.scan import scan
from actions.steps.apply_fix import files_after, issues_after
from schemas.records import ChangeMade, State
from schemas.vocabulary import FixStatus, Gate, IssueStatus, Verification

_BY_USER = "the user undid it"


def named(
    state: State, ids: Collection[str], made: Collection[ChangeMade] = (), why: str = _BY_USER
) -> Mapping[str, Any]:
    """Return the changes that name the fixes `ids` as taken back and why, and what `made` of the files.

    They are saved before the rollback counts as done. One that was saved so before a kill keeps its reason.
    """
    fixes = tuple(
        replace(f, status=FixStatus.ROLLED_BACK, reason=why)
        if f.id in ids and f.status is not FixStatus.ROLLED_BACK
        else f
        for f in state.proposed_fixes
    )
    applied = tuple(
        replace(a, verification_result=Verification.ROLLED_BACK, rollback_available=False, reason=why)
        if a.fix_id in ids and a.verification_result is Verification.PASS
        else a
        for a in state.applied_fixes
    )
    target = replace(state.target_skill, files=files_after(state, made))
    return {"proposed_fixes": fixes, "applied_fixes": applied, "target_skill": target}


def measured(state: State, case: Case) -> Mapping[str, Any]:
    """Return the changes that a new look at the skill makes: issues, score and gate.

    What the files hold is not taken as known: someone may have edited them, and no waiting fix may touch those.
    """
    if not state.rounds:
        return {}
    found = scan(case)
    issues = issues_after(state, found, case.skill)
    counts, points, gate = measure(issues, unknown=bool(found.failed))
    failed = (f"{id} failed when the skill was measured anew: {why}" for id, why in found.failed.items())
    return {
        "notes": (*state.notes, *(note for note in failed if note not in state.notes)),
        "issues": issues,
        "issues_by_severity": counts,
        "quality_score": points,
        "quality_gate": gate,
        "tokens": count_tokens(case.skill),
        "layout": measure_layout(case.skill),
    }


def unmeasured(state: State, why: str) -> Mapping[str, Any]:
    """Return the changes when the skill cannot be read: what was mended counts as open, and the gate fails."""
    if not state.rounds:
        return {}
    issues = rank_issues(
        replace(i, status=IssueStatus.OPEN) if i.status is IssueStatus.RESOLVED else i for i in state.issues
    )
    counts, points, _ = measure(issues)
    note = f"the skill could not be measured anew: {why}"
    return {
        "issues": issues,
        "issues_by_severity": counts,
        "quality_score": points,
        "quality_gate": Gate.FAIL,
        "tokens": None,
        "layout": None,
        "notes": (*state.notes, *(() if note in state.notes else (note,))),
    }


def not_put_back(state: State, changes: Mapping[str, Any], fix_id: str, files: Collection[str]) -> Mapping[str, Any]:
    """Return the changes of a fix that was put back, with the files that were left alone told as its reason."""
    if not files:
        return changes
    told = left_alone(files)
    after = replace(state, **changes)

    def reason(old: str | None) -> str:
        return f"{old}; {told}" if old else told

    fixes = (replace(f, reason=reason(f.reason)) if f.id == fix_id else f for f in after.proposed_fixes)
    applied = (replace(a, reason=reason(a.reason)) if a.fix_id == fix_id else a for a in after.applied_fixes)
    notes = (*after.notes, f"{fix_id}: {told}")
    return {**changes, "proposed_fixes": tuple(fixes), "applied_fixes": tuple(applied), "notes": notes}


def left_alone(files: Collection[str]) -> str:
    """Say which files could not be put back."""
    return f"not rolled back: {', '.join(files)}, edited meanwhile"
