"""List the issues of a run with their current status and the texts of their patterns' pages."""

import msgspec

from actions.fixes.proposals import list_with_strategy
from actions.patterns import get_patterns
from actions.patterns.page import get_page
from schemas.issues import Issue
from schemas.records import State
from schemas.vocabulary import FixStatus, IssueStatus, Verification

CURRENT_STATUSES = ("open", "fixed", "suppressed", "rejected", "unknown")
"""The values of an issue's current status, in the order of the report."""
NO_FIX = "no automatic fix"
"""The start of the reason if no strategy fixes an issue."""
_WHY_OPEN = {
    FixStatus.PROPOSED: "is proposed, but was not selected",
    FixStatus.SELECTED: "was selected, but has not been applied yet",
}


class FindingRow(msgspec.Struct, frozen=True):
    """An issue with its current status `now`, the reason for the status, and the applied fixes that claim it.

    `title`, `harm` and `instead` come from the page of its pattern.
    """

    issue: Issue
    now: str
    why: str
    fixes: tuple[str, ...]
    title: str
    harm: str
    instead: str


def list_findings(state: State) -> list[FindingRow]:
    """Return the issues in the skill, open ones first, then by severity."""
    rows = [_make_row(state, issue) for issue in state.issues if not issue.is_about_session]
    return sorted(rows, key=lambda row: (CURRENT_STATUSES.index(row.now), row.issue.severity.rank, row.issue.pattern))


def _make_row(state: State, issue: Issue) -> FindingRow:
    module = get_patterns().get(issue.pattern)
    page = get_page(module) if module else {}
    now = "fixed" if issue.status is IssueStatus.RESOLVED else issue.status.value
    return FindingRow(
        issue=issue,
        now=now,
        why=_explain_status(state, issue, now),
        fixes=tuple(f.id for f in state.proposed_fixes if f.status is FixStatus.APPLIED and issue.id in f.issue_ids),
        title=page.get("title", issue.pattern),
        harm=page.get("Why it is bad", ""),
        instead=page.get("Instead", ""),
    )


def _explain_status(state: State, issue: Issue, now: str) -> str:
    if now == "suppressed":
        suppressed_by = issue.suppressed_by or ""
        return f"covered by {suppressed_by}" if suppressed_by.startswith("ISS-") else suppressed_by
    if now == "rejected":
        return f"{issue.verdict.word} by {issue.verdict.by}: {issue.verdict.why}" if issue.verdict else ""
    return explain_open_issue(state, issue) if now == "open" else ""


def explain_open_issue(state: State, issue: Issue) -> str:
    """Return a clause that says why an issue is still open."""
    fixes = [fix for fix in state.proposed_fixes if issue.id in fix.issue_ids]
    if not fixes:
        return _explain_missing_fix(state, issue)
    last = fixes[-1]
    if last.status in _WHY_OPEN:
        return f"{last.id} {_WHY_OPEN[last.status]}"
    if last.status is FixStatus.APPLIED:
        return f"still found after {last.id} was applied; run again"
    entry = next((a for a in reversed(state.applied_fixes) if a.fix_id == last.id), None)
    is_rolled_back = entry and entry.verification_result is Verification.ROLLED_BACK
    word = (
        "was rolled back"
        if is_rolled_back
        else "was refused"
        if last.status is FixStatus.REFUSED
        else "failed its check"
    )
    return f"{last.id} {word}: {last.reason}"


def _explain_missing_fix(state: State, issue: Issue) -> str:
    """Return a clause that says why an issue has no fix, not even a failed one."""
    untried = state.rounds and issue.id in state.rounds[-1].untried
    chosen = [round.chosen for round in state.rounds]
    if state.rounds and issue.id in state.rounds[-1].by_hand:
        return "no fix changes this part of the frontmatter; edit the line by hand"
    if chosen and not any(ids is None or issue.id in ids for ids in chosen):
        return "not chosen"
    if untried:
        return "not tried: the last round reached its limit; run again"
    return f"{NO_FIX} is certain here" if list_with_strategy((issue,)) else NO_FIX
