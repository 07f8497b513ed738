"""Rehearse a fix in memory: check its invariants, and have a model review it where parsers cannot decide."""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.fixes.draft_review import Candidate, find_remaining_quotes, review_fixes
from actions.fixes.invariants.prove import Promise, Proof, prove
from actions.fixes.passages import list_line_ranges
from actions.review.asking import JudgeClient
from actions.review.verdicts import is_open, list_vanished_issues
from actions.scoring.scan import Scan
from actions.skill import Skill
from schemas.issues import Issue
from schemas.records import Fix, Review
from schemas.vocabulary import FixSource, IssueSource, UnitKind


class Rehearsal(msgspec.Struct, frozen=True):
    """A fix that was checked in memory. `after` is the case after the fix. `proof` is the result of the check."""

    fix: Fix
    after: Case
    proof: Proof


def verify_fix(case: Case, after: Case, scan_before: Scan, rehearsal: Rehearsal, issues: Sequence[Issue]) -> Proof:
    """Verify an applied fix without asking a model.

    The skill is not scanned again if it is equal to the skill that was checked in memory. If a strategy's fix has no
    review, the quotes of the model's findings that it claims to fix must be gone.
    """
    fix, is_skill = rehearsal.fix, after.skill.kind is UnitKind.SKILL
    is_as_rehearsed = is_skill and (after.skill, after.settings) == (rehearsal.after.skill, rehearsal.after.settings)
    proof = rehearsal.proof if is_as_rehearsed else check_by_parsers(case, after, scan_before, fix, issues)
    is_reviewed = fix.source is FixSource.MODEL or fix.review is not None
    if is_reviewed:
        return proof
    return replace(proof, reasons=(*proof.reasons, *find_remaining_quotes(issues, fix, after.skill)))


def check_by_parsers(case: Case, after: Case, scan_before: Scan, fix: Fix, issues: Sequence[Issue]) -> Proof:
    """Check the invariants of a fix with parsers only."""
    ids = frozenset(fix.issue_ids)
    ranges = tuple(lines for issue in issues if issue.id in ids for lines in list_line_ranges(issue, case.skill))
    claims, drafted = frozenset(fix.claims), fix.source is FixSource.MODEL
    promise = Promise(claims, fix.drops, fix.token_limit, fix.rewrites, drafted, fix.takes_out, ranges)
    proof = prove(case, after, scan_before, promise, issues)
    return replace(proof, reasons=(*proof.reasons, *_find_rewritten_files(case, fix)))


def _find_rewritten_files(case: Case, fix: Fix) -> Iterator[str]:
    """Yield an objection for each file outside the unit whose text a fix changes. Such a file may be moved."""
    removed = {change.sha256_before for change in fix.changes if change.action == "delete"}
    created = {change.sha256_after for change in fix.changes if change.action == "create"}
    is_skill = case.skill.kind is UnitKind.SKILL
    for change in () if is_skill else fix.changes:
        is_moved = change.sha256_after in removed or change.sha256_before in created
        if change.file != case.skill.main_path and change.sha256_before != change.sha256_after and not is_moved:
            yield f"{change.file}: the fix changes the text of another file"


def review_rehearsed(
    case: Case, scan_before: Scan, rehearsal: Rehearsal, issues: Sequence[Issue], client: JudgeClient | None
) -> tuple[Proof, Review | None]:
    """Have a rehearsed fix reviewed if `review_fixes` requires it. Return the new proof and the review.

    A fix that failed its check is not reviewed.
    """
    fix, after, proof = rehearsal.fix, rehearsal.after.skill, rehearsal.proof
    if not proof.is_passed:
        return proof, None
    ((reasons, review),) = review_fixes(
        [make_candidate(issues, fix, scan_before, proof.after, case.skill, after)], case, client
    )
    return replace(proof, reasons=reasons), review


def make_candidate(
    issues: Sequence[Issue], fix: Fix, scan_before: Scan, scan_after: Scan, before: Skill, after: Skill
) -> Candidate:
    """Make the candidate for the review of a fix."""
    gone_before = {issue.id for issue in list_vanished_issues(issues, before)}
    ended = {issue.id: issue for issue in _list_findings_to_fix(issues, fix, scan_before, scan_after)}
    near = [issue for issue in list_vanished_issues(issues, after) if issue.id not in {*ended, *gone_before}]
    return Candidate(fix, [*ended.values()], after, near)


def _list_findings_to_fix(issues: Sequence[Issue], fix: Fix, scan_before: Scan, scan_after: Scan) -> Iterator[Issue]:
    """Yield the findings that must be gone after a fix.

    These are the findings that the fix claims to fix. For a model's draft, they also include the other proven findings
    that the scan no longer reports, because the draft may have hidden them from the checks without fixing them.
    """
    drafted = fix.source is FixSource.MODEL
    claimed = (issue for issue in issues if issue.fingerprint in fix.claims and is_open(issue))
    yield from (issue for issue in claimed if drafted or issue.source is IssueSource.MODEL)
    remaining = {place.fingerprint for finding in scan_after.findings for place in finding.locations}
    old, new = (Counter(finding.pattern.id for finding in scan.findings) for scan in (scan_before, scan_after))
    decreased = {id for id, count in old.items() if new[id] < count}
    gone = (issue for issue in issues if remaining.isdisjoint(place.fingerprint for place in issue.places))
    hidden = (issue for issue in gone if issue.pattern in decreased)
    yield from (issue for issue in hidden if drafted and issue.source is IssueSource.PARSER and is_open(issue))
