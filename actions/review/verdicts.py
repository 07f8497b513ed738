"""Apply a judge's answers to findings.

- A verdict counts for a finding that the judge was asked about and saw. Two opposite verdicts cancel each other out.
- A rejection needs a quote of the skill, or the id of the finding that it duplicates. A rejected finding deducts no
  points; it stays in the state and the report with the reason, and with the score and gate without rejections.
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
    """Return the findings of a new scan with their earlier verdicts, and the judge's own findings that are left.

    A judge's finding follows its quote. It is left out if one of `fixes` was applied for it after a review had found it
    gone. If a fix for another finding has changed its quote, it stays open at the new words.
    """
    fixes = tuple(fixes)
    before = {issue.fingerprint: issue.verdict for issue in known if not issue.is_from_session}
    out = [apply_verdict(replace(issue, verdict=issue.verdict or before.get(issue.fingerprint))) for issue in fresh]
    ids = {issue.id for issue in fresh}
    ids |= {id for fix in fixes if fix.status is FixStatus.APPLIED and fix.review for id in fix.issue_ids}
    own = (issue for issue in known if issue.source is IssueSource.MODEL and issue.id not in ids)
    return (*out, *(moved for issue in own if (moved := _relocate(issue, skill) or _follow_fix(issue, skill, fixes))))


def _follow_fix(issue: Issue, skill: Skill, fixes: "Sequence[Fix]") -> Issue | None:
    """Move an open finding to the words with which another finding's fix replaced its quote; None if it is gone.

    It is gone if no applied fix changed the quote, if the fix only deleted it, or if the fix's review says so. A
    finding with a selected fix stays open until that fix has been tried.
    """
    file = skill.by_path.get(issue.location.file)
    applied = (fix for fix in fixes if fix.status is FixStatus.APPLIED and issue.id not in fix.issue_ids)
    quote = issue.evidence[0]
    written = [(fix, new) for fix in applied if (new := find_new_words(fix.changes, issue.location.file, quote))]
    if not (file and written and is_open(issue)):
        return None
    fix, new = written[-1]
    waiting = (one for one in fixes if one.status is FixStatus.SELECTED or one.is_misfit)
    is_chosen = any(issue.id in one.issue_ids for one in waiting)
    is_ended = fix.review is not None and issue.id in fix.review.ended
    lines = locate_quote(file, new)
    return None if lines is None or (is_ended and not is_chosen) else _move(issue, lines)


def _move(issue: Issue, lines: tuple[int, int]) -> Issue:
    first, last = lines
    at = replace(issue.location, line_start=first, line_end=last)
    return replace(issue, location=at, locations=(replace(issue.places[0], line_start=first, line_end=last),))


def _relocate(issue: Issue, skill: Skill) -> Issue | None:
    """Return a judge's finding at the current lines of its quote; None if the quote is gone."""
    file = skill.by_path.get(issue.location.file)
    lines = locate_quote(file, issue.evidence[0]) if file else None
    if lines is None:
        return None
    status = IssueStatus.OPEN if issue.status is IssueStatus.RESOLVED else issue.status
    return apply_verdict(replace(_move(issue, lines), status=status))


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
    """Return whether a judge may reject a finding, because it is neither proven nor recorded in sessions."""
    return issue.grade is Grade.READ and not issue.sessions


def is_disputed(issue: Issue) -> bool:
    """Return whether a judge rejects a finding that stays open because it is proven or recorded."""
    return issue.status is IssueStatus.OPEN and is_contradicted(issue)


def list_vanished(issues: Iterable[Issue], skill: Skill) -> Iterator[Issue]:
    """Return the judge's open findings whose quote is no longer in a changed skill."""
    return (i for i in issues if i.source is IssueSource.MODEL and is_open(i) and _relocate(i, skill) is None)
