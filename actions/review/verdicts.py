"""What a judge's word does to findings: confirmed, rejected, added. What is proven cannot be talked away.

- A verdict counts for a finding that the judge was asked about and saw. Confirm and reject of one finding cancel out.
- A rejection needs words of the skill that show it, or the id of the finding that tells the same. It deducts nothing
  then, and stays in state, outputs and report with its reason, beside what score and gate would be without it.
- What the judge added is put to a second look; what that refutes is rejected like the rest, and said to be refuted.
- What is proven cannot be rejected by a model, nor what recorded sessions show. It stays open, and the objection is
  told.
- An added finding counts when its quote stands in the named file. It is read, never more severe than its pattern, and
  like any other finding suppressed where the author asks.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from actions.scoring.quality import measure
from actions.skill import Skill
from actions.skill.settings import is_selected
from schemas.issues import Issue
from schemas.vocabulary import FixStatus, Grade, IssueSource, IssueStatus, Ruling

if TYPE_CHECKING:  # looking at skills needs no records of a run
    from actions.scoring.scan import Scan
    from actions.scoring.suppression import UnusedSuppression
    from schemas.records import Fix


def carry_over_verdicts(
    fresh: Sequence[Issue], known: Sequence[Issue], skill: Skill, fixes: Iterable["Fix"] = ()
) -> tuple[Issue, ...]:
    """Return findings of a new look with what a judge said of them before, and its own whose words still stand.

    What an applied one of `fixes` mended in the eyes of a fresh reader is none of these, whatever words stand.
    """
    before = {issue.fingerprint: issue.verdict for issue in known if not issue.is_from_session}
    out = [apply_verdict(replace(issue, verdict=issue.verdict or before.get(issue.fingerprint))) for issue in fresh]
    ids = {issue.id for issue in fresh}
    ids |= {id for fix in fixes if fix.status is FixStatus.APPLIED and fix.review for id in fix.issue_ids}
    own = (issue for issue in known if issue.source is IssueSource.MODEL and issue.id not in ids)
    return (*out, *(moved for issue in own if (moved := _standing(issue, skill))))


def _standing(issue: Issue, skill: Skill) -> Issue | None:
    """Give a judge's finding where its words stand now; None where they are gone."""
    file = skill.by_path.get(issue.location.file)
    from actions.review.quotes import locate_quote  # only where a judge spoke

    lines = locate_quote(file, issue.evidence[0]) if file else None
    if lines is None:
        return None
    status = IssueStatus.OPEN if issue.status is IssueStatus.RESOLVED else issue.status
    at = replace(issue.location, line_start=lines[0], line_end=lines[1])
    return apply_verdict(replace(issue, location=at, status=status))


def apply_verdict(issue: Issue) -> Issue:
    """Give a finding with what its verdict means for it."""
    if (against := is_contradicted(issue)) and is_open(issue) and may_be_rejected(issue):
        return replace(issue, status=IssueStatus.REJECTED, suppressed_by=None)
    if issue.status is IssueStatus.REJECTED and not (against and may_be_rejected(issue)):
        return replace(issue, status=IssueStatus.OPEN)
    return issue


def is_contradicted(issue: Issue) -> bool:
    """Return whether a judge rejects or refutes a finding, whatever that is worth."""
    return issue.verdict is not None and issue.verdict.word is not Ruling.CONFIRMED


def is_open(issue: Issue) -> bool:
    """Tell whether a finding is open by itself, though another one may tell the same fault."""
    told = issue.status is IssueStatus.SUPPRESSED and (issue.suppressed_by or "").startswith("ISS-")
    return issue.status is IssueStatus.OPEN or told


def may_be_rejected(issue: Issue) -> bool:
    """Return whether a finding is an opinion, which a judge may overrule, and no fact."""
    return issue.grade is Grade.READ and not issue.sessions


def is_disputed(issue: Issue) -> bool:
    """Return whether a judge rejects what stands nevertheless."""
    return issue.status is IssueStatus.OPEN and is_contradicted(issue)


def list_rejected(issues: Iterable[Issue]) -> list[Issue]:
    """Give the findings that do not count because a judge rejects them."""
    return [issue for issue in issues if issue.status is IssueStatus.REJECTED]


def describe_rejections(issues: Sequence[Issue], *, unknown: bool = False) -> str:
    """Say what the rejections are worth: score and gate without them. Empty where there are none."""
    if not (out := list_rejected(issues)):
        return ""
    whole = [replace(i, status=IssueStatus.OPEN) if i.status is IssueStatus.REJECTED else i for i in issues]
    _, points, gate = measure(whole, unknown=unknown)
    names = ", ".join(dict.fromkeys(i.verdict.by for i in out if i.verdict))
    return f"{names} rejects {', '.join(i.id for i in out)}; with them the score is {points} and the gate says {gate}"


def list_vanished(issues: Iterable[Issue], skill: Skill) -> Iterator[Issue]:
    """Give a judge's open findings whose words no longer stand in a changed skill."""
    return (i for i in issues if i.source is IssueSource.MODEL and is_open(i) and _standing(i, skill) is None)


def list_unused_suppressions(said: Sequence["UnusedSuppression"], issues: Iterable[Issue]) -> list["UnusedSuppression"]:
    """Return the suppressions that met nothing, not even a finding of the judge. `said` are those of the patterns."""
    own = [issue for issue in issues if issue.source is IssueSource.MODEL and issue.suppressed_by]
    met = {(i.suppressed_by, i.fingerprint) for i in own}
    met |= {(i.suppressed_by, one.code) for one in said for i in own if is_selected((one.code,), i.pattern, i.type)}
    return [one for one in said if (one.by, one.code) not in met]


def list_scan_notes(found: "Scan", issues: Iterable[Issue]) -> list[str]:
    """Return what is to be told of a scan beside its findings; `issues` are those, and those of the judge."""
    failed = [f"{id} could not look: {why}; what it would have found is unknown" for id, why in found.failed.items()]
    own = (one for one in list_unused_suppressions(found.unused, issues) if not one.is_shared)
    return [
        *failed,
        *found.truncated,
        *(f"{'unused' if one.code else 'odd'} suppression: {one.message}" for one in own),
    ]
