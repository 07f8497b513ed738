"""action-apply-fix: rehearse a selected fix in memory, write it, verify it on disk, and keep it or roll it back."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from msgspec.structs import replace

from actions.case import Case
from actions.evidence.issues import keep_evidence
from actions.fixes.invariants.prove import Proof
from actions.fixes.merging import StrategyDraft, draft_parts, merge_drafts
from actions.fixes.narrowing import narrow
from actions.fixes.proposals import list_with_strategy
from actions.fixes.records import add_review, get_new_contents, list_executable
from actions.fixes.rehearsal import Rehearsal, check_by_parsers, review_rehearsed, verify_fix
from actions.patterns import get_patterns
from actions.patterns.page import CUSTOM
from actions.review.asking import JudgeClient
from actions.review.scan_notes import drop_outdated_notes
from actions.review.verdicts import carry_over_verdicts
from actions.scoring.issues import make_issues, update_issues
from actions.scoring.quality import is_incomplete, measure_skill
from actions.scoring.scan import Scan, scan
from actions.skill import Skill
from actions.steps.outcome import Apply, Outcome, Tools, Undo, Written
from actions.steps.select_fixes import draft_again
from schemas.issues import Issue
from schemas.records import AppliedFix, ChangeMade, Fix, FixEffect, State
from schemas.vocabulary import FixSource, FixStatus, IssueStatus, Risk, Verification
from templates.filters import counted

_CHANGED_TEXT = "an earlier fix changed this text"
_EDITED_FILE = "a file that the fix changes was edited meanwhile"
_NO_DRAFT = f"{_CHANGED_TEXT}, and the fix cannot be drafted again"


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Rehearse the first pending fix and request to write it. A fix that no longer fits the text is drafted again.

    If only a model can draft it again, it is left to a separate round, because the user has not seen the new draft.
    """
    fix = next(f for f in state.proposed_fixes if f.id == state.pending_fixes[0])
    fix = replace(fix, claims=tuple(issue.fingerprint for issue in _find_unresolved_issues(state, fix)))
    fix, new_contents, objection = _fit_to_text(state, case, fix)
    state = _refuse_edited_parts(state, case, fix)
    if objection == _NO_DRAFT and fix.source is FixSource.MODEL and tools.judge:
        return Outcome(
            _end_fix(state, fix, FixStatus.PROPOSED, _CHANGED_TEXT), f"{fix.id} is drafted again: {_CHANGED_TEXT}"
        )
    if objection:
        return Outcome(refuse(state, fix, objection), f"{fix.id} refused: {objection}")
    state = _replace_fix(state, fix)
    case = replace(case, contents={**case.contents, **new_contents})
    before = scan(case, known=state.issues)
    rehearsal = _rehearse(state, case, before, fix, get_new_contents(fix, case.contents))
    if not rehearsal.proof.is_passed and fix.source is FixSource.STRATEGY:
        state, rehearsal, new_contents = _drop_failing_parts(state, case, before, rehearsal, new_contents, tools)
    client = JudgeClient(tools.judge, case) if tools.judge else None
    proof, review = review_rehearsed(case, before, rehearsal, state.issues, client)
    fix = add_review(rehearsal.fix, review)
    if proof.is_passed and _is_riskier(fix, rehearsal.fix):
        reason = f"the reviewer says that the fix changes what the skill does, so its risk is {fix.risk}"
        proof = replace(proof, reasons=(reason,))
    state = _replace_fix(state, fix)
    state = client.record_in(state) if client else state
    if not proof.is_passed:
        return Outcome(_record_failure(state, fix, proof, tools), f"{fix.id} failed its check: {proof.reasons[0]}")
    rehearsal = Rehearsal(fix, rehearsal.after, proof)
    return Outcome(state, f"{fix.id} {fix.strategy}", Apply(rehearsal, tuple(new_contents.values()), before))


def verify_written(state: State, case: Case, done: Written, tools: Tools) -> tuple[State, Undo | None]:
    """Verify a written fix on the skill as read back. Returns the new state, and the undo of a failed fix."""
    fix = done.apply.fix
    after = case.with_skill(done.skill, done.locate)
    proof = verify_fix(case, after, done.apply.before, done.apply.rehearsal, state.issues)
    if not proof.is_passed:
        return _record_failure(state, fix, proof, tools, done.made), Undo(fix.id)
    applied_state = _replace_fix(state, replace(fix, status=FixStatus.APPLIED))
    issues = find_issues_after(
        applied_state, proof.after, done.skill, _list_fixed_issues(state, fix, done.apply.before)
    )
    effect = _measure_effect(state, case.skill, issues, done.skill)
    notes = drop_outdated_notes(state.notes, proof.after, proof.after.list_conclusive(get_patterns()))
    success = _record_success(replace(state, notes=notes), fix, done.made, issues, effect, tools)
    return _mark_untried(success, _list_newly_listed_issues(state, issues, done.apply.before)), None


def _list_fixed_issues(state: State, fix: Fix, before: Scan) -> set[str]:
    """Return the issues that a verified fix fixed and whose pattern had too many findings to list.

    A finding that is listed only after the fix may have the same message or line as one of these issues.
    """
    truncated_patterns, claimed_ids = before.truncated, frozenset(fix.issue_ids)
    return {issue.id for issue in state.issues if issue.id in claimed_ids and issue.pattern in truncated_patterns}


def _list_newly_listed_issues(state: State, issues: Sequence[Issue], before: Scan) -> list[Issue]:
    """Return the issues that the scan before a fix left out because their pattern had too many findings."""
    known, truncated_patterns = {issue.id for issue in state.issues}, before.truncated
    return [issue for issue in issues if issue.pattern in truncated_patterns and issue.id not in known]


def _mark_untried(state: State, issues: Sequence[Issue]) -> State:
    """Record that this round has not tried to fix the issues, so that the next round does."""
    current = state.rounds[-1]
    untried = (*current.untried, *list_with_strategy(issues))
    return replace(state, rounds=(*state.rounds[:-1], replace(current, untried=untried)))


def refuse(state: State, fix: Fix, reason: str) -> State:
    """Mark a pending fix as refused."""
    return _end_fix(state, fix, FixStatus.REFUSED, reason)


def _rehearse(state: State, case: Case, before: Scan, fix: Fix, writes: Mapping[str, bytes | None]) -> Rehearsal:
    """Check a fix in memory with the parsers.

    `before` is the scan before the fix. `writes` maps the paths of its files to their new contents (None: deleted).
    """
    after = case.with_files(writes, list_executable(fix))
    return Rehearsal(fix, after, check_by_parsers(case, after, before, fix, state.issues))


def _drop_failing_parts(
    state: State, case: Case, before: Scan, whole_rehearsal: Rehearsal, new_contents: dict[str, bytes], tools: Tools
) -> tuple[State, Rehearsal, dict[str, bytes]]:
    """Remove the failing parts of a merged fix and record each of them as a separate failed fix.

    Returns the state, the rehearsal of the other parts, and their new contents by hash. If no part passes, the
    arguments are returned unchanged. The findings of untried parts are left to the next round.
    """
    fix, passed_rehearsals = whole_rehearsal.fix, [whole_rehearsal]
    claimed_issues = _find_unresolved_issues(state, fix)

    def check(parts: Sequence[StrategyDraft]) -> Proof:
        merged_draft, _ = merge_drafts(parts, case)
        new = replace(merged_draft.build_fix(fix.id, case, fix.iteration), status=fix.status)
        rehearsal = _rehearse(state, case, before, new, merged_draft.draft.writes)
        if rehearsal.proof.is_passed:
            passed_rehearsals[:] = [rehearsal]
        return rehearsal.proof

    result = narrow(draft_parts(fix.strategy, claimed_issues, case), check)
    if not result.passed:
        return state, whole_rehearsal, new_contents
    for part, proof in result.failed:
        failed = part.build_fix(f"FIX-{len(state.proposed_fixes) + 1:03d}", case, fix.iteration)
        state = replace(state, proposed_fixes=(*state.proposed_fixes, failed))
        state = _record_failure(state, failed, proof, tools)
    rehearsal = passed_rehearsals[0]
    tried_ids = {*rehearsal.fix.issue_ids, *(id for part, _ in result.failed for id in part.issues)}
    state = _mark_untried(state, [issue for issue in claimed_issues if issue.id not in tried_ids])
    files = (rehearsal.after.find_file(change.file) for change in rehearsal.fix.changes)
    return state, rehearsal, {sha256(raw).hexdigest(): raw for raw in files if raw is not None}


class _FittedFix(NamedTuple):
    """A fix fitted to the current text, and its new contents by hash. `objection` is why it cannot be applied."""

    fix: Fix
    new_contents: dict[str, bytes]
    objection: str | None = None


def _fit_to_text(state: State, case: Case, fix: Fix) -> _FittedFix:
    """Draft a fix again if an earlier fix has changed its text. The new draft must not make more changes."""
    if not fix.claims:
        return _FittedFix(fix, {}, "another fix has already resolved its findings")
    if all(_has_hash(case, c.file, c.sha256_before) for c in fix.changes):
        return _FittedFix(fix, {})
    edited_files = _list_edited_files(state, case, fix)
    redraft = None
    if fix.parts or not edited_files:
        redraft = draft_again(fix, _find_unresolved_issues(state, fix), case, state.iteration_count, edited_files)
    if redraft is None:
        return _FittedFix(fix, {}, f"{_EDITED_FILE}: {', '.join(edited_files)}" if edited_files else _NO_DRAFT)
    new, writes = redraft
    if excess := _describe_excess(new, fix):
        return _FittedFix(fix, {}, f"{_CHANGED_TEXT}, and its new draft {excess}")
    return _FittedFix(new, {sha256(data).hexdigest(): data for data in writes.values() if data is not None})


def _describe_excess(new: Fix, old: Fix) -> str:
    """Return a clause about what a new draft of a fix does but the old one did not, or ""."""
    if _is_riskier(new, old):
        return f"has {new.risk} risk"
    removed = Counter((*new.drops, *new.takes_out)) - Counter((*old.drops, *old.takes_out))
    return next((f"removes more: {text[:120]}" for text in removed), "")


def _list_edited_files(state: State, case: Case, fix: Fix) -> list[str]:
    """Return the files of a fix that someone else edited.

    The hash of such a file is neither the hash before the fix nor the hash in the state.
    """
    known_hashes = ((c.file, (c.sha256_before, state.target_skill.files.get(c.file))) for c in fix.changes)
    return [file for file, hashes in known_hashes if not any(_has_hash(case, file, digest) for digest in hashes)]


def _refuse_edited_parts(state: State, case: Case, fix: Fix) -> State:
    """Record the changes of a merged fix to edited files, which the fitted `fix` lacks, as a refused fix."""
    old = next(other for other in state.proposed_fixes if other.id == fix.id)
    fitted_files, ids = {change.file for change in fix.changes}, frozenset(fix.issue_ids)
    edited_files = [file for file in _list_edited_files(state, case, old) if file not in fitted_files]
    if not old.parts or not edited_files:
        return state
    issues = [issue for issue in _find_unresolved_issues(state, old) if issue.id not in ids]
    refused_fix = replace(
        old,
        id=f"FIX-{len(state.proposed_fixes) + 1:03d}",
        issue_ids=tuple(issue.id for issue in issues),
        claims=tuple(issue.fingerprint for issue in issues),
        changes=tuple(change for change in old.changes if change.file not in fitted_files),
        parts=(),
        description=f"The changes of {old.id} in {counted(len(edited_files), 'edited file')}.",
        status=FixStatus.REFUSED,
        reason=f"{_EDITED_FILE}: {', '.join(edited_files)}",
    )
    return replace(state, proposed_fixes=(*state.proposed_fixes, refused_fix))


def _is_riskier(first: Fix, second: Fix) -> bool:
    return [*Risk].index(first.risk) > [*Risk].index(second.risk)


def _find_unresolved_issues(state: State, fix: Fix) -> list[Issue]:
    ids = frozenset(fix.issue_ids)
    return [i for i in state.issues if i.id in ids and i.status in (IssueStatus.OPEN, IssueStatus.SUPPRESSED)]


def _has_hash(case: Case, path: str, digest: str | None) -> bool:
    """Return whether a file has a SHA-256 hash. With None, return whether the file does not exist."""
    data = case.find_file(path)
    return (None if data is None else sha256(data).hexdigest()) == digest


def _replace_fix(state: State, fix: Fix) -> State:
    return replace(state, proposed_fixes=tuple(fix if f.id == fix.id else f for f in state.proposed_fixes))


def _end_fix(state: State, fix: Fix, status: FixStatus, reason: str | None) -> State:
    """Set the final status of a pending fix and remove it from the pending fixes."""
    state = _replace_fix(state, replace(fix, status=status, reason=reason))
    return replace(state, pending_fixes=tuple(id for id in state.pending_fixes if id != fix.id))


def _record_failure(
    state: State, fix: Fix, proof: Proof, tools: Tools, made: tuple[ChangeMade, ...] | None = None
) -> State:
    """Record a failed fix. `made` are its written changes, or None if it failed in the rehearsal."""
    reason = "; ".join(proof.reasons)
    if made is None:
        note = f"failed its check, nothing was written: {reason}"
        entry = _build_entry(state, fix, Verification.FAIL, (), note, tools)
    else:
        entry = _build_entry(state, fix, Verification.ROLLED_BACK, made, reason, tools)
    state = _end_fix(state, fix, FixStatus.ROLLED_BACK, reason)
    return replace(state, applied_fixes=(*state.applied_fixes, entry))


def _record_success(
    state: State, fix: Fix, made: tuple[ChangeMade, ...], issues: tuple[Issue, ...], effect: FixEffect, tools: Tools
) -> State:
    entry = replace(_build_entry(state, fix, Verification.PASS, made, None, tools), effect=effect)
    current = state.rounds[-1]
    return replace(
        update_hashes(_end_fix(state, fix, FixStatus.APPLIED, None), made),
        applied_fixes=(*state.applied_fixes, entry),
        issues=issues,
        rounds=(*state.rounds[:-1], replace(current, fixes_kept=(*current.fixes_kept, fix.id), measured=False)),
    )


def _measure_effect(state: State, skill: Skill, issues: tuple[Issue, ...], written: Skill) -> FixEffect:
    """Compare the score and the issues before a fix (`state`, `skill`) and after it (`issues`, `written`)."""
    unknown = is_incomplete(state)
    open_before = {issue.id for issue in state.issues if issue.status is IssueStatus.OPEN}
    open_after = {issue.id for issue in issues if issue.status is IssueStatus.OPEN}
    return FixEffect(
        before=measure_skill(state.issues, skill, unknown=unknown),
        after=measure_skill(issues, written, unknown=unknown),
        resolved=tuple(i.id for i in issues if i.id in open_before and i.status is IssueStatus.RESOLVED),
        found=tuple(i.id for i in issues if i.id in open_after - open_before),
    )


def update_hashes(state: State, made: Iterable[ChangeMade]) -> State:
    """Update the hashes of the files that a fix changed.

    The hash of a file that the user edited before the fix stays unchanged.
    """
    files: dict[str, str | None] = dict(state.target_skill.files)
    for change in made:
        if files.get(change.file) == change.sha256_before:
            files[change.file] = change.sha256_after
    known = {file: digest for file, digest in files.items() if digest is not None}
    return replace(state, target_skill=replace(state.target_skill, files=known))


def find_issues_after(state: State, result: Scan, skill: Skill, fixed: Collection[str] = ()) -> tuple[Issue, ...]:
    """Return the issues of a new scan after a change, without families outside the user's focus.

    `fixed` are the ids of issues that are proven to be gone.
    """
    diagnoses = (diagnosis.details for diagnosis in state.diagnosis.results.values())
    checked_patterns = {i.pattern for i in state.issues} | {
        id for details in diagnoses for id in details.patterns_checked
    }
    new_issues = [i for i in make_issues(result, state.issues, fixed) if i.pattern in checked_patterns]
    current = carry_over_verdicts(keep_evidence(new_issues, state.issues), state.issues, skill, state.proposed_fixes)
    return update_issues(state.issues, current, result.list_conclusive((*get_patterns(), CUSTOM)), fixed)


def _build_entry(
    state: State, fix: Fix, result: Verification, made: tuple[ChangeMade, ...], reason: str | None, tools: Tools
) -> AppliedFix:
    is_kept = result is Verification.PASS
    return AppliedFix(fix.id, tools.now(), is_kept, state.backup_dir or "", result, is_kept, made, reason)
