"""Apply a judge's answers to findings.

- A verdict counts if the judge was asked about the finding and was shown its lines. Two opposite verdicts cancel each
  other out.
- A rejection needs a quote from the skill, or the id of the finding that the rejected finding duplicates. A rejected
  finding deducts no points. It stays in the state and in the report, with the reason, and the report also has the score
  and the gate without rejections.
- The judge is asked to refute its own findings. Findings that it refutes are rejected.
- A model cannot reject a finding that is proven or recorded in sessions. It stays open, and the objection is shown.
- An added finding counts if its quote is in the named file. The judge sets its severity unless the settings do; the
  second reading may lower it. It can be suppressed like any other finding.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from actions.review.quotes import locate_quote
from actions.review.refitting import find_new_words
from actions.skill import Skill
from schemas.issues import Issue
from schemas.vocabulary import FixStatus, Grade, IssueSource, IssueStatus, Ruling

if TYPE_CHECKING:  # `diagnose` has no state, so it need not load the records at start-up
    from schemas.records import Fix


def carry_over_verdicts(
    fresh: Sequence[Issue], known: Sequence[Issue], skill: Skill, fixes: "Iterable[Fix]" = ()
) -> tuple[Issue, ...]:
    """Return the findings of a new scan with their earlier verdicts, and the judge's findings that remain.

    If the quote of a judge's finding has moved, the finding moves with it. The finding is left out if one of `fixes`
    was applied for it and a review confirmed that the fault is gone. If a fix for another finding has replaced the
    quote, the finding stays open at the new text.
    """
    fixes = tuple(fixes)
    verdicts = {issue.fingerprint: issue.verdict for issue in known if not issue.is_from_session}
    judged = [apply_verdict(replace(i, verdict=i.verdict or verdicts.get(i.fingerprint))) for i in fresh]
    ids = {issue.id for issue in fresh}
    ids |= {id for fix in fixes if fix.status is FixStatus.APPLIED and fix.review for id in fix.issue_ids}
    by_judge = (issue for issue in known if issue.source is IssueSource.MODEL and issue.id not in ids)
    moved = (_relocate(issue, skill) or _follow_fix(issue, skill, fixes) for issue in by_judge)
    return (*judged, *filter(None, moved))


def _follow_fix(issue: Issue, skill: Skill, fixes: "Sequence[Fix]") -> Issue | None:
    """Move an open finding to the text that replaced its quote in a fix for another finding.

    Returns None if the finding is gone: no applied fix replaced the quote, or the review of the fix confirmed it. A
    finding with a selected fix stays open until that fix has been tried.
    """
    file = skill.by_path.get(issue.location.file)
    applied = (fix for fix in fixes if fix.status is FixStatus.APPLIED and issue.id not in fix.issue_ids)
    quote = issue.evidence[0]
    replaced = [(fix, new) for fix in applied if (new := find_new_words(fix.changes, issue.location.file, quote))]
    if not (file and replaced and is_open(issue)):
        return None
    fix, new = replaced[-1]
    waiting = (other for other in fixes if other.status is FixStatus.SELECTED or other.is_misfit)
    has_waiting_fix = any(issue.id in other.issue_ids for other in waiting)
    is_ended = fix.review is not None and issue.id in fix.review.ended
    lines = locate_quote(file, new)
    return None if lines is None or (is_ended and not has_waiting_fix) else _move_finding(issue, lines)


def _move_finding(issue: Issue, lines: tuple[int, int]) -> Issue:
    """Return a finding at other lines (first, last) of its file."""
    first, last = lines
    location = replace(issue.location, line_start=first, line_end=last)
    return replace(issue, location=location, locations=(replace(issue.places[0], line_start=first, line_end=last),))


def _relocate(issue: Issue, skill: Skill) -> Issue | None:
    """Return a judge's finding at the current lines of its quote, or None if the quote is gone."""
    file = skill.by_path.get(issue.location.file)
    lines = locate_quote(file, issue.evidence[0]) if file else None
    if lines is None:
        return None
    status = IssueStatus.OPEN if issue.status is IssueStatus.RESOLVED else issue.status
    return apply_verdict(replace(_move_finding(issue, lines), status=status))


def apply_verdict(issue: Issue) -> Issue:
    """Return a finding with the status that follows from its verdict."""
    if (against := is_contradicted(issue)) and is_open(issue) and may_be_rejected(issue):
        return replace(issue, status=IssueStatus.REJECTED, suppressed_by=None)
    if issue.status is IssueStatus.REJECTED and not (against and may_be_rejected(issue)):
        return replace(issue, status=IssueStatus.OPEN)
    return issue


def is_contradicted(issue: Issue) -> bool:
    """Return whether a judge rejects or refutes a finding, even if a judge may not reject it."""
    return issue.verdict is not None and issue.verdict.word is not Ruling.CONFIRMED


def is_open(issue: Issue) -> bool:
    """Return whether a finding is open, or suppressed only because another finding reports the same fault."""
    is_duplicate = issue.status is IssueStatus.SUPPRESSED and (issue.suppressed_by or "").startswith("ISS-")
    return issue.status is IssueStatus.OPEN or is_duplicate


def may_be_rejected(issue: Issue) -> bool:
    """Return whether a judge may reject a finding: it is neither proven nor recorded in sessions."""
    return issue.grade is Grade.READ and not issue.sessions


def is_disputed(issue: Issue) -> bool:
    """Return whether a judge has rejected a finding that stays open because it is proven or recorded."""
    return issue.status is IssueStatus.OPEN and is_contradicted(issue)


def list_vanished_issues(issues: Iterable[Issue], skill: Skill) -> Iterator[Issue]:
    """Yield the judge's open findings whose quote is no longer in a changed skill."""
    return (i for i in issues if i.source is IssueSource.MODEL and is_open(i) and _relocate(i, skill) is None)
