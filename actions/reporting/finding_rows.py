"""Each finding with what became of it, and what its page says."""

from dataclasses import dataclass

from actions.patterns import all_patterns
from actions.patterns.page import get_page
from schemas.issues import Issue
from schemas.records import State
from schemas.vocabulary import FixStatus, IssueStatus, Verification

NOW = ("open", "fixed", "suppressed", "rejected", "unknown")
"""What a finding is now."""
_WHY_LEFT = {
    FixStatus.PROPOSED: "a fix is proposed and was not chosen",
    FixStatus.SELECTED: "a fix was chosen and its turn did not come",
}


@dataclass(frozen=True)
class FindingRow:
    """A finding: what it is now and why, the kept fixes that resolved it, and the words of its pattern's page."""

    issue: Issue
    now: str
    why: str
    fixes: tuple[str, ...]
    title: str
    harm: str
    instead: str


def list_findings(state: State) -> list[FindingRow]:
    """Return the findings on the skill, what is still open first, the worst first."""
    found = [_to_row(state, issue) for issue in state.issues if not issue.is_from_session]
    return sorted(found, key=lambda f: (NOW.index(f.now), f.issue.severity.rank, f.issue.pattern))


def _to_row(state: State, issue: Issue) -> FindingRow:
    module = all_patterns().get(issue.pattern)
    told = get_page(module) if module else {}
    now = "fixed" if issue.status is IssueStatus.RESOLVED else issue.status.value
    return FindingRow(
        issue=issue,
        now=now,
        why=_why(state, issue, now),
        fixes=tuple(f.id for f in state.proposed_fixes if f.status is FixStatus.APPLIED and issue.id in f.issue_ids),
        title=told.get("title", issue.pattern),
        harm=told.get("Why it is bad", ""),
        instead=told.get("Instead", ""),
    )


def _why(state: State, issue: Issue, now: str) -> str:
    if now == "suppressed":
        by = issue.suppressed_by or ""
        return f"covered by {by}" if by.startswith("ISS-") else by
    if now == "rejected":
        return f"{issue.verdict.word} by {issue.verdict.by}: {issue.verdict.why}" if issue.verdict else ""
    return explain_open(state, issue) if now == "open" else ""


def explain_open(state: State, issue: Issue) -> str:
    """Say why an issue is still open."""
    fixes = [fix for fix in state.proposed_fixes if issue.id in fix.issue_ids]
    if not fixes:
        untried = state.rounds and issue.id in state.rounds[-1].untried
        return "not tried: the last round was full; run again" if untried else "no strategy can fix it without guessing"
    last = fixes[-1]
    if last.status in _WHY_LEFT:
        return f"{last.id}: {_WHY_LEFT[last.status]}"
    entry = next((a for a in reversed(state.applied_fixes) if a.fix_id == last.id), None)
    done = entry and entry.verification_result is Verification.ROLLED_BACK
    word = "was rolled back" if done else "was refused" if last.status is FixStatus.REFUSED else "failed its check"
    return f"{last.id} {word}: {last.reason}"
