"""Describe what a scan and a review left out: rejected findings, failed checks, unused suppressions."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from actions.scoring.quality import measure
from actions.scoring.scan import Scan
from actions.scoring.suppression import UnusedSuppression
from actions.skill.settings import is_selected
from schemas.issues import Issue
from schemas.vocabulary import IssueSource, IssueStatus


def list_rejected(issues: Iterable[Issue]) -> list[Issue]:
    """Return the findings that do not count because a judge rejects them."""
    return [issue for issue in issues if issue.status is IssueStatus.REJECTED]


def describe_rejections(issues: Sequence[Issue], *, unknown: bool = False) -> str:
    """Return a sentence with the score and gate as they would be without the rejections; "" if there are none."""
    if not (out := list_rejected(issues)):
        return ""
    whole = [replace(i, status=IssueStatus.OPEN) if i.status is IssueStatus.REJECTED else i for i in issues]
    _, points, gate = measure(whole, unknown=unknown)
    names = ", ".join(dict.fromkeys(i.verdict.by for i in out if i.verdict))
    return f"{names} rejects {', '.join(i.id for i in out)}; with them the score is {points} and the gate says {gate}"


def list_unused_suppressions(unused: Sequence[UnusedSuppression], issues: Iterable[Issue]) -> list[UnusedSuppression]:
    """Return the suppressions in `unused` (which match no proven finding) that match no finding of a judge either."""
    own = [issue for issue in issues if issue.source is IssueSource.MODEL and issue.suppressed_by]
    matched = {(i.suppressed_by, i.fingerprint) for i in own}
    matched |= {
        (i.suppressed_by, one.code) for one in unused for i in own if is_selected((one.code,), i.pattern, i.type)
    }
    return [one for one in unused if (one.by, one.code) not in matched]


def list_scan_notes(found: Scan, issues: Iterable[Issue]) -> list[str]:
    """Return notes on failed checks, unlisted findings and unused suppressions. `issues` include the judge's."""
    failed = [f"{id} failed: {why}; its findings are unknown" for id, why in found.failed.items()]
    own = (one for one in list_unused_suppressions(found.unused, issues) if not one.is_shared)
    unused = (f"{'unused' if one.code else 'invalid'} suppression: {one.message}" for one in own)
    return [*failed, *found.truncation_notes, *unused]
