"""action-apply-fix: rehearse a selected fix in memory, write it, verify it on disk, and keep it or roll it back."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from msgspec.structs import replace

from actions.case import Case
from actions.evidence.issues import keep_evidence
from actions.fixes.invariants.prove import Proof
from actions.fixes.merging import Drafted, draft_parts, merge_drafts
from actions.fixes.narrowing import narrow
from actions.fixes.proposals import list_with_strategy
from actions.fixes.records import add_review, get_new_contents, list_executable
from actions.fixes.rehearsal import Rehearsal, check_by_parsers, review_rehearsed, verify_fix
from actions.patterns import all_patterns
from actions.patterns.page import CUSTOM
from actions.review.asking import Asking
from actions.review.verdicts import carry_over_verdicts
from actions.scoring.issues import make_issues, update_issues
from actions.scoring.quality import has_failed_diagnosis, measure_skill
from actions.scoring.scan import Scan, scan
from actions.skill import Skill
from actions.steps.outcome import Apply, Outcome, Tools, Undo, Written
from actions.steps.select_fixes import draft_again
from schemas.issues import Issue
from schemas.records import AppliedFix, ChangeMade, Fix, FixEffect, State
from schemas.vocabulary import FixSource, FixStatus, IssueStatus, Risk, Verification
from templates.filters import counted

_CHANGED_TEXT = "an earlier fix changed this text"
_EDITED_FILE = "a file that it changes was edited meanwhile"
_NO_DRAFT = f"{_CHANGED_TEXT}, and it cannot be drafted again"


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Rehearse the first pending fix and ask to write it. If it no longer fits the text, draft it again first.

    A fix that a model must draft again waits for a separate round, because the user has not seen the new draft.
    """
    fix = next(f for f in state.proposed_fixes if f.id == state.pending_fixes[0])
    fix = replace(fix, claims=tuple(issue.fingerprint for issue in _find_claimed(state, fix)))
    fix, fresh, objection = _fit_to_text(state, case, fix)
    state = _refuse_edited(state, case, fix)
    if objection == _NO_DRAFT and fix.source is FixSource.MODEL and tools.judge:
        return Outcome(
            _end_fix(state, fix, FixStatus.PROPOSED, _CHANGED_TEXT), f"{fix.id} is drafted again: {_CHANGED_TEXT}"
        )
    if objection:
        return Outcome(refuse(state, fix, objection), f"{fix.id} refused: {objection}")
    state = _replace_fix(state, fix)
    case = replace(case, contents={**case.contents, **fresh})
    before = scan(case)
    rehearsal = _rehearse(state, case, before, fix, get_new_contents(fix, case.contents))
    if not rehearsal.proof.is_passed and fix.source is FixSource.STRATEGY:
        state, rehearsal, fresh = _narrow(state, case, before, rehearsal, fresh, tools)
    asking = Asking(tools.judge, case) if tools.judge else None
    proof, review = review_rehearsed(case, before, rehearsal, state.issues, asking)
    chosen = rehearsal.fix
    fix = add_review(chosen, review)
    if proof.is_passed and _is_riskier(fix, chosen):
        why = f"the reviewer says that the fix changes what the skill does, so its risk is {fix.risk}"
        proof = replace(proof, reasons=(why,))
    state = _replace_fix(state, fix)
    state = asking.record_in(state) if asking else state
    if not proof.is_passed:
        return Outcome(_record_failure(state, fix, proof, tools), f"{fix.id} failed its check: {proof.reasons[0]}")
    rehearsal = Rehearsal(fix, rehearsal.after, proof)
    return Outcome(state, f"{fix.id} {fix.strategy}", Apply(rehearsal, tuple(fresh.values()), before))


def verify_written(state: State, case: Case, done: Written, tools: Tools) -> tuple[State, Undo | None]:
    """Verify a fix on the skill as read back. Return the state, and the effect that undoes a failed fix."""
    fix = done.apply.fix
    after = case.with_skill(done.skill, done.locate)
    proof = verify_fix(case, after, done.apply.before, done.apply.rehearsal, state.issues)
    if not proof.is_passed:
        return _record_failure(state, fix, proof, tools, done.made), Undo(fix.id)
    applied = _replace_fix(state, replace(fix, status=FixStatus.APPLIED))
    issues = issues_after(applied, proof.after, done.skill)
    effect = _measure_effect(state, case.skill, issues, done.skill)
    return _record_kept(state, fix, done.made, issues, effect, tools), None


def refuse(state: State, fix: Fix, reason: str) -> State:
    """Mark a pending fix as refused."""
    return _end_fix(state, fix, FixStatus.REFUSED, reason)


def _rehearse(state: State, case: Case, before: Scan, fix: Fix, writes: Mapping[str, bytes | None]) -> Rehearsal:
    """Check a fix in memory by parsers. `before` is the scan before it, `writes` are its new contents."""
    after = case.with_files(writes, list_executable(fix))
    return Rehearsal(fix, after, check_by_parsers(case, after, before, fix, state.issues))


def _narrow(
    state: State, case: Case, before: Scan, whole: Rehearsal, fresh: dict[str, bytes], tools: Tools
) -> tuple[State, Rehearsal, dict[str, bytes]]:
    """Leave out the parts of a merged fix that fail, each recorded as a failed fix of its own.

    Return the state, the rehearsal and the new contents by hash: those of the whole fix if no part of it passes. The
    findings of parts that were not tried are left to the next round.
    """
    fix, tried = whole.fix, [whole]
    claimed = _find_claimed(state, fix)

    def check(parts: Sequence[Drafted]) -> Proof:
        merged, _ = merge_drafts(parts, case)
        new = replace(merged.build_fix(fix.id, case, fix.iteration), status=fix.status)
        rehearsal = _rehearse(state, case, before, new, merged.draft.writes)
        if rehearsal.proof.is_passed:
            tried[:] = [rehearsal]
        return rehearsal.proof

    found = narrow(draft_parts(fix.strategy, claimed, case), check)
    if not found.passed:
        return state, whole, fresh
    for part, proof in found.failed:
        failed = part.build_fix(f"FIX-{len(state.proposed_fixes) + 1:03d}", case, fix.iteration)
        state = replace(state, proposed_fixes=(*state.proposed_fixes, failed))
        state = _record_failure(state, failed, proof, tools)
    rehearsal = tried[0]
    done = {*rehearsal.fix.issue_ids, *(id for part, _ in found.failed for id in part.issues)}
    current = state.rounds[-1]
    left = list_with_strategy([issue for issue in claimed if issue.id not in done])
    rounds = (*state.rounds[:-1], replace(current, untried=(*current.untried, *left)))
    files = (rehearsal.after.find_file(change.file) for change in rehearsal.fix.changes)
    return replace(state, rounds=rounds), rehearsal, {sha256(raw).hexdigest(): raw for raw in files if raw is not None}


def _fit_to_text(state: State, case: Case, fix: Fix) -> tuple[Fix, dict[str, bytes], str | None]:
    """Return the fix fitted to the current text, its new contents by hash, and why it cannot be applied, or None."""
    if not fix.claims:
        return fix, {}, "another fix has already resolved its findings"
    if all(_has_hash(case, c.file, c.sha256_before) for c in fix.changes):
        return fix, {}, None
    edited = _list_edited(state, case, fix)
    drafted = None
    if fix.parts or not edited:
        drafted = draft_again(fix, _find_claimed(state, fix), case, state.iteration_count, edited)
    if drafted is None:
        return fix, {}, f"{_EDITED_FILE}: {', '.join(edited)}" if edited else _NO_DRAFT
    new, writes = drafted
    riskier = [f"has {new.risk} risk"] if _is_riskier(new, fix) else []
    more = Counter((*new.drops, *new.takes_out)) - Counter((*fix.drops, *fix.takes_out))
    for why in (*riskier, *(f"removes more: {text[:120]}" for text in more)):
        return fix, {}, f"{_CHANGED_TEXT}, and its new draft {why}"
    return new, {sha256(data).hexdigest(): data for data in writes.values() if data is not None}, None


def _list_edited(state: State, case: Case, fix: Fix) -> list[str]:
    """Return the files of a fix whose text is neither the one before it nor that of an earlier fix of the run."""
    known = ((c.file, (c.sha256_before, state.target_skill.files.get(c.file))) for c in fix.changes)
    return [file for file, digests in known if not any(_has_hash(case, file, digest) for digest in digests)]


def _refuse_edited(state: State, case: Case, fix: Fix) -> State:
    """Record the changes of a merged fix in edited files, which the fitted `fix` leaves out, as a refused fix."""
    old = next(other for other in state.proposed_fixes if other.id == fix.id)
    kept, ids = {change.file for change in fix.changes}, frozenset(fix.issue_ids)
    edited = [file for file in _list_edited(state, case, old) if file not in kept]
    if not old.parts or not edited:
        return state
    left = [issue for issue in _find_claimed(state, old) if issue.id not in ids]
    refused = replace(
        old,
        id=f"FIX-{len(state.proposed_fixes) + 1:03d}",
        issue_ids=tuple(issue.id for issue in left),
        claims=tuple(issue.fingerprint for issue in left),
        changes=tuple(change for change in old.changes if change.file not in kept),
        parts=(),
        description=f"The changes of {old.id} in {counted(len(edited), 'edited file')}.",
        status=FixStatus.REFUSED,
        reason=f"{_EDITED_FILE}: {', '.join(edited)}",
    )
    return replace(state, proposed_fixes=(*state.proposed_fixes, refused))


def _is_riskier(first: Fix, second: Fix) -> bool:
    return [*Risk].index(first.risk) > [*Risk].index(second.risk)


def _find_claimed(state: State, fix: Fix) -> list[Issue]:
    ids = frozenset(fix.issue_ids)
    return [i for i in state.issues if i.id in ids and i.status in (IssueStatus.OPEN, IssueStatus.SUPPRESSED)]


def _has_hash(case: Case, path: str, digest: str | None) -> bool:
    data = case.find_file(path)
    return (None if data is None else sha256(data).hexdigest()) == digest


def _replace_fix(state: State, fix: Fix) -> State:
    return replace(state, proposed_fixes=tuple(fix if f.id == fix.id else f for f in state.proposed_fixes))


def _end_fix(state: State, fix: Fix, status: FixStatus, reason: str | None) -> State:
    """Give a pending fix its final status."""
    state = _replace_fix(state, replace(fix, status=status, reason=reason))
    return replace(state, pending_fixes=tuple(id for id in state.pending_fixes if id != fix.id))


def _record_failure(
    state: State, fix: Fix, proof: Proof, tools: Tools, made: tuple[ChangeMade, ...] | None = None
) -> State:
    """Record a fix that failed its check, in rehearsal (`made` is None) or after its changes were written."""
    reason, result = "; ".join(proof.reasons), Verification.ROLLED_BACK
    recorded = reason
    if made is None:
        made, result, recorded = (), Verification.FAIL, f"failed its check, nothing was written: {reason}"
    entry = _make_entry(state, fix, result, made, recorded, tools)
    state = _end_fix(state, fix, FixStatus.ROLLED_BACK, reason)
    return replace(state, applied_fixes=(*state.applied_fixes, entry))


def _record_kept(
    state: State, fix: Fix, made: tuple[ChangeMade, ...], issues: tuple[Issue, ...], effect: FixEffect, tools: Tools
) -> State:
    entry = replace(_make_entry(state, fix, Verification.PASS, made, None, tools), effect=effect)
    current = state.rounds[-1]
    return replace(
        update_hashes(_end_fix(state, fix, FixStatus.APPLIED, None), made),
        applied_fixes=(*state.applied_fixes, entry),
        issues=issues,
        rounds=(*state.rounds[:-1], replace(current, fixes_kept=(*current.fixes_kept, fix.id), measured=False)),
    )


def _measure_effect(state: State, skill: Skill, issues: tuple[Issue, ...], written: Skill) -> FixEffect:
    unknown = has_failed_diagnosis(state)
    was, now = ({i.id for i in each if i.status is IssueStatus.OPEN} for each in (state.issues, issues))
    return FixEffect(
        before=measure_skill(state.issues, skill, unknown=unknown),
        after=measure_skill(issues, written, unknown=unknown),
        resolved=tuple(i.id for i in issues if i.id in was and i.status is IssueStatus.RESOLVED),
        found=tuple(i.id for i in issues if i.id in now - was),
    )


def update_hashes(state: State, made: Iterable[ChangeMade]) -> State:
    """Update the hashes of changed files. Files that the user edited keep their old hash."""
    files: dict[str, str | None] = dict(state.target_skill.files)
    for change in made:
        if files.get(change.file) == change.sha256_before:
            files[change.file] = change.sha256_after
    known = {file: digest for file, digest in files.items() if digest is not None}
    return replace(state, target_skill=replace(state.target_skill, files=known))


def issues_after(state: State, found: Scan, skill: Skill) -> tuple[Issue, ...]:
    """Return the issues after a change of the skill, except issues of families outside the user's focus."""
    done = (result.details for result in state.diagnosis.results.values())
    checked = {i.pattern for i in state.issues} | {id for details in done for id in details.patterns_checked}
    fresh = [i for i in make_issues(found, state.issues) if i.pattern in checked]
    seen = carry_over_verdicts(keep_evidence(fresh, state.issues), state.issues, skill, state.proposed_fixes)
    return update_issues(state.issues, seen, {*all_patterns(), CUSTOM} - found.failed.keys())


def _make_entry(
    state: State, fix: Fix, result: Verification, made: tuple[ChangeMade, ...], reason: str | None, tools: Tools
) -> AppliedFix:
    kept = result is Verification.PASS
    return AppliedFix(fix.id, tools.now(), kept, state.backup_dir or "", result, kept, made, reason)
