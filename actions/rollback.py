"""What a rollback means for the state: fixes no longer stand, and what they mended is measured anew."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from actions.apply_fix import issues_after
from actions.findings import scan
from actions.issues import file_hashes
from actions.model import Case
from actions.quality import measure
from schemas.records import State
from schemas.vocabulary import FixStatus, Verification

_BY_USER = "taken back by the user"


def named(state: State, ids: Collection[str]) -> Mapping[str, Any]:
    """Give the changes that name the fixes `ids` as taken back. They are saved before the rollback counts as done."""
    fixes = tuple(
        replace(f, status=FixStatus.ROLLED_BACK, reason=_BY_USER) if f.id in ids else f for f in state.proposed_fixes
    )
    applied = tuple(
        replace(a, verification_result=Verification.ROLLED_BACK, rollback_available=False, reason=_BY_USER)
        if a.fix_id in ids and a.verification_result is Verification.PASS
        else a
        for a in state.applied_fixes
    )
    return {"proposed_fixes": fixes, "applied_fixes": applied}


def measured(state: State, case: Case) -> Mapping[str, Any]:
    """Give the changes that a new look at the skill makes: issues, score, gate and what the files are now."""
    if not state.rounds:
        return {}
    issues = issues_after(state, scan(case))
    counts, points, gate = measure(issues)
    return {
        "issues": issues,
        "issues_by_severity": counts,
        "quality_score": points,
        "quality_gate": gate,
        "target_skill": replace(state.target_skill, files=file_hashes(case.skill)),
    }
