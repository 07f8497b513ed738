"""action-apply-fix: one selected fix whole: tried in memory, written, read again, proven, kept or rolled back."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from actions.case import Case
from actions.evidence.issues import keep_evidence
from actions.fixes.invariants.prove import Proof
from actions.fixes.records import add_review, get_new_contents
from actions.fixes.rehearsal import rehearse_fix, verify_fix
from actions.patterns import all_patterns
from actions.patterns.page import CUSTOM
from actions.review.asking import Asking
from actions.review.verdicts import carry_over_verdicts
from actions.scoring.issues import make_issues, update_issues
from actions.scoring.quality import has_failed_diagnosis, measure_skill
from actions.scoring.scan import Scan, scan
from actions.skill import Skill
from actions.steps.outcome import Apply, Keep, Outcome, Settled, Tools
from actions.steps.select_fixes import drafted_anew
from schemas.issues import Issue
from schemas.records import AppliedFix, ChangeMade, Fix, FixEffect, State
from schemas.vocabulary import FixStatus, IssueStatus, Risk, Verification

_CHANGED = "an earlier fix changed this place, and it cannot be drafted anew"


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Take the first pending fix. A draft that no longer fits the text is drafted anew first."""
    fix = next(f for f in state.proposed_fixes if f.id == state.pending_fixes[0])
    fix = replace(fix, claims=tuple(issue.fingerprint for issue in _claimed(state, fix)))
    fix, fresh, objection = _fitting(state, case, fix)
    if objection:
        return Outcome(_ended(state, fix, FixStatus.REFUSED, objection), "verify", f"{fix.id} refused: {objection}")
    state = _with(state, fix)
    case = replace(case, contents={**case.contents, **fresh})
    seen = scan(case)
    changed = case.skill.with_files(get_new_contents(fix, case.contents))
    asking = Asking(tools.judge) if tools.judge else None
    proof, review = rehearse_fix(case, changed, seen, fix, state.issues, asking)
    chosen, fix = fix, add_review(fix, review)
    if proof.passed and _is_riskier(fix, chosen):
        proof = replace(proof, reasons=(f"it changes what the skill does, says a reader: it is of {fix.risk} risk",))
    state = _with(state, fix)
    asked = asking.state_changes(state) if asking else {}
    if not proof.passed:
        told = f"{fix.id} failed its check: {proof.reasons[0]}"
        return Outcome({**_not_kept(state, fix, proof, tools), **asked}, "verify", told)

    def settle(written: Skill, made: tuple[ChangeMade, ...]) -> Settled:
        after = verify_fix(case, written, seen, fix, state.issues)
        if after.passed:
            issues = issues_after(_with(state, replace(fix, status=FixStatus.APPLIED)), after.after, written)
            return Settled(True, _kept(state, fix, made, issues, _effect(state, case.skill, issues, written), tools))
        return Settled(False, _not_kept(state, fix, after, tools, made))

    apply = Apply(fix, settle, lambda why: _ended(state, fix, FixStatus.REFUSED, why))
    return Outcome(asked, "verify", f"{fix.id} {fix.strategy}", (Keep(tuple(fresh.values())), apply))


def _fitting(state: State, case: Case, fix: Fix) -> tuple[Fix, dict[str, bytes], str | None]:
    """Return the fix as it fits the present text, new contents by hash, and an objection if there is one."""
    if not fix.claims:
        return fix, {}, "what it fixes is gone already"
    if all(_stands(case.skill, c.file, c.sha256_before) for c in fix.changes):
        return fix, {}, None
    if not all(_stands(case.skill, c.file, state.target_skill.files.get(c.file)) for c in fix.changes):
        return fix, {}, "a file that it changes was edited meanwhile"
    if (fitted := drafted_anew(fix, _claimed(state, fix), case)) is None:
        return fix, {}, _CHANGED
    new, writes = fitted
    riskier = [f"is of {new.risk} risk"] if _is_riskier(new, fix) else []
    more = Counter((*new.drops, *new.takes_out)) - Counter((*fix.drops, *fix.takes_out))
    for told in (*riskier, *(f"takes out more: {text[:120]}" for text in more)):
        return fix, {}, f"an earlier fix changed this place, and drafted anew it {told}"
    return new, {sha256(data).hexdigest(): data for data in writes.values() if data is not None}, None


def _is_riskier(one: Fix, other: Fix) -> bool:
    return [*Risk].index(one.risk) > [*Risk].index(other.risk)


def _claimed(state: State, fix: Fix) -> list[Issue]:
    return [i for i in state.issues if i.id in fix.issue_ids and i.status in (IssueStatus.OPEN, IssueStatus.SUPPRESSED)]


def _stands(skill: Skill, path: str, digest: str | None) -> bool:
    file = skill.by_path.get(path)
    return (file.sha256 if file else None) == digest


def _with(state: State, fix: Fix) -> State:
    return replace(state, proposed_fixes=tuple(fix if f.id == fix.id else f for f in state.proposed_fixes))


def _ended(state: State, fix: Fix, status: FixStatus, reason: str | None) -> dict[str, Any]:
    fixes = _with(state, replace(fix, status=status, reason=reason)).proposed_fixes
    return {"proposed_fixes": fixes, "pending_fixes": tuple(id for id in state.pending_fixes if id != fix.id)}


def _not_kept(
    state: State, fix: Fix, proof: Proof, tools: Tools, made: tuple[ChangeMade, ...] | None = None
) -> dict[str, Any]:
    """Return the changes of a fix that its proof refuses: in rehearsal, or after the changes `made`."""
    reason, result = "; ".join(proof.reasons), Verification.ROLLED_BACK
    told = reason
    if made is None:
        made, result, told = (), Verification.FAIL, f"failed its check, nothing was written: {reason}"
    entry = _entry(state, fix, result, made, told, tools)
    return {**_ended(state, fix, FixStatus.ROLLED_BACK, reason), "applied_fixes": (*state.applied_fixes, entry)}


def _kept(
    state: State, fix: Fix, made: tuple[ChangeMade, ...], issues: tuple[Issue, ...], effect: FixEffect, tools: Tools
) -> Mapping[str, Any]:
    entry = replace(_entry(state, fix, Verification.PASS, made, None, tools), effect=effect)
    current = state.rounds[-1]
    return {
        **_ended(state, fix, FixStatus.APPLIED, None),
        "applied_fixes": (*state.applied_fixes, entry),
        "issues": issues,
        "target_skill": replace(state.target_skill, files=files_after(state, made)),
        "rounds": (*state.rounds[:-1], replace(current, fixes_kept=(*current.fixes_kept, fix.id), measured=False)),
    }


def _effect(state: State, skill: Skill, issues: tuple[Issue, ...], written: Skill) -> FixEffect:
    unknown = has_failed_diagnosis(state)
    was, now = ({i.id for i in each if i.status is IssueStatus.OPEN} for each in (state.issues, issues))
    return FixEffect(
        before=measure_skill(state.issues, skill, unknown=unknown),
        after=measure_skill(issues, written, unknown=unknown),
        resolved=tuple(i.id for i in issues if i.id in was and i.status is IssueStatus.RESOLVED),
        found=tuple(i.id for i in issues if i.id in now - was),
    )


def files_after(state: State, made: Iterable[ChangeMade]) -> dict[str, str]:
    """Return the known hashes with those of the changes: what someone edited stays unexpected."""
    files: dict[str, str | None] = dict(state.target_skill.files)
    for change in made:
        if files.get(change.file) == change.sha256_before:
            files[change.file] = change.sha256_after
    return {file: digest for file, digest in files.items() if digest is not None}


def issues_after(state: State, found: Scan, skill: Skill) -> tuple[Issue, ...]:
    """Return the issues after a change of the skill. Families out of the user's focus stay out."""
    done = (result.details for result in state.diagnosis.results.values())
    looked = {i.pattern for i in state.issues} | {id for details in done for id in details.patterns_checked}
    fresh = [i for i in make_issues(found, state.issues) if i.pattern in looked]
    seen = carry_over_verdicts(keep_evidence(fresh, state.issues), state.issues, skill, state.proposed_fixes)
    return update_issues(state.issues, seen, {*all_patterns(), CUSTOM} - found.failed.keys())


def _entry(
    state: State, fix: Fix, result: Verification, made: tuple[ChangeMade, ...], reason: str | None, tools: Tools
) -> AppliedFix:
    kept = result is Verification.PASS
    return AppliedFix(fix.id, tools.now(), kept, state.backup_dir or "", result, kept, made, reason)
