"""Describe rejected findings, failed checks and unused suppressions in notes to the user."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from actions.grouping import group_by_key
from actions.scoring.quality import measure
from actions.scoring.scan import LeftOut, Scan, describe_truncation
from actions.scoring.suppression import UnusedSuppression
from actions.skill.settings import is_selected
from schemas.issues import Issue
from schemas.vocabulary import IssueSource, IssueStatus
from templates.filters import counted

_MAX_PATHS = 2
"""Maximum number of files that a note names."""


def list_rejected_issues(issues: Iterable[Issue]) -> list[Issue]:
    """Return the findings that do not count because a judge rejects them."""
    return [issue for issue in issues if issue.status is IssueStatus.REJECTED]


def describe_rejections(issues: Sequence[Issue], *, unknown: bool = False) -> str:
    """Return a sentence with the score and quality gate if rejected findings counted, or "" if none is rejected."""
    if not (rejected := list_rejected_issues(issues)):
        return ""
    reopened = [replace(i, status=IssueStatus.OPEN) if i.status is IssueStatus.REJECTED else i for i in issues]
    _, points, gate = measure(reopened, unknown=unknown)
    names = ", ".join(dict.fromkeys(issue.verdict.by for issue in rejected if issue.verdict))
    ids = ", ".join(issue.id for issue in rejected)
    return f"{names} rejects {ids}; if these findings counted, the score would be {points} and the quality gate {gate}"


def list_unused_suppressions(unused: Sequence[UnusedSuppression], issues: Iterable[Issue]) -> list[UnusedSuppression]:
    """Return the suppressions in `unused` (which match no proven finding) that match no finding of a judge either."""
    by_judge = [issue for issue in issues if issue.source is IssueSource.MODEL and issue.suppressed_by]
    matched = {(issue.suppressed_by, issue.fingerprint) for issue in by_judge}
    matched |= {
        (issue.suppressed_by, suppression.code)
        for suppression in unused
        for issue in by_judge
        if is_selected((suppression.code,), issue.pattern, issue.type)
    }
    return [suppression for suppression in unused if (suppression.by, suppression.code) not in matched]


def drop_outdated_notes(notes: Iterable[str], result: Scan, checked: Iterable[str]) -> tuple[str, ...]:
    """Drop the truncation notes of those patterns in `checked` whose findings this scan lists completely."""
    outdated = {*map(describe_truncation, checked)}.difference(result.truncation_notes)
    return tuple(note for note in notes if note not in outdated)


def list_scan_notes(result: Scan, issues: Iterable[Issue]) -> list[str]:
    """Return notes on an unchecked unit, failed checks, unlisted findings, copies and unused suppressions.

    `issues` include the judge's.
    """
    failed = [f"{id} failed: {reason}; its findings are unknown" for id, reason in result.failed.items()]
    unused = (s for s in list_unused_suppressions(result.unused, issues) if not s.is_shared)
    suppressions = (f"{'unused' if s.code else 'invalid'} suppression: {s.message}" for s in unused)
    unchecked = [result.unchecked] if result.unchecked else []
    return [*unchecked, *failed, *result.truncation_notes, *_describe_left_out(result.left_out), *suppressions]


def _describe_left_out(left_out: Iterable[LeftOut]) -> Iterator[str]:
    """Yield a sentence for each reason why findings are not listed."""
    for why, files in group_by_key((file.why, file) for file in left_out).items():
        paths = ", ".join(file.path for file in files[:_MAX_PATHS])
        others = f" and {len(files) - _MAX_PATHS} more" if files[_MAX_PATHS:] else ""
        findings = counted(sum(file.count for file in files), "finding")
        reason = f"because a correction would be lost ({why}); what blocks a run is listed"
        yield f"{paths}{others}: {findings} left out, {reason}"
