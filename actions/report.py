"""The final report: the facts of a run in the order in which a person asks for them."""

from dataclasses import dataclass

from actions.issues import counted
from actions.judged import BY_JUDGE, is_disputed, overruled, rejected
from actions.model import Case
from actions.naming import run_argument
from actions.quality import tokens
from actions.session_evidence import seen_only, unknown_rate
from schemas.records import AppliedFix, Fix, Issue, State, Tokens
from schemas.vocabulary import Confidence, FixStatus, IssueStatus, Ruling, Verification
from templates import render

_WHY_LEFT = {
    FixStatus.PROPOSED: "a fix is proposed and was not chosen",
    FixStatus.SELECTED: "a fix was chosen and its turn did not come",
}


@dataclass(frozen=True)
class Mended:
    """A fix with what became of it."""

    fix: Fix
    applied: AppliedFix | None
    issues: tuple[Issue, ...]


@dataclass(frozen=True)
class Left:
    """An issue that is still open, and why."""

    issue: Issue
    why: str


@dataclass(frozen=True)
class Verdicts:
    """What the judge's word did, finding by finding; `overruled` says what its rejections are worth."""

    confirmed: list[Issue]
    added: list[Issue]
    rejected: list[Issue]
    disputed: list[Issue]
    overruled: str


def report(state: State, case: Case | None) -> str:
    """Give the report of a run as Markdown; without a case where the skill cannot be read any more."""
    mended = [_mended(state, fix) for fix in state.proposed_fixes]
    start = state.rounds[0] if state.rounds else None
    return render(
        "report.md",
        state=state,
        run=run_argument(state),
        start=start,
        before=start.tokens if start else Tokens(),
        after=tokens(case.skill) if case else None,
        concerns=state.requirement_analysis.dimensions if state.requirement_analysis else (),
        ambiguities=state.requirement_analysis.ambiguities if state.requirement_analysis else (),
        kept=[m for m in mended if m.fix.status is FixStatus.APPLIED],
        failed=[m for m in mended if m.fix.status in (FixStatus.ROLLED_BACK, FixStatus.REFUSED)],
        proposed=[m for m in mended if m.fix.status is FixStatus.PROPOSED],
        found=[i for i in state.issues if i.status is not IssueStatus.SUPPRESSED and i.source != "session"],
        left=[Left(i, why_left(state, i)) for i in counted(state.issues)],
        hints=[i for i in state.issues if i.status is IssueStatus.OPEN and i.confidence is Confidence.LOW],
        sessions=state.sessions,
        shown=seen_only(state.issues),
        rate=unknown_rate(state.sessions),
        suppressed=[i for i in state.issues if i.status is IssueStatus.SUPPRESSED],
        unknown=_unknown(state),
        verdicts=_verdicts(state.issues),
    )


def _verdicts(issues: tuple[Issue, ...]) -> Verdicts:
    confirmed = [i for i in issues if i.verdict and i.verdict.word is Ruling.CONFIRMED]
    added = [i for i in issues if i.source == BY_JUDGE]
    return Verdicts(confirmed, added, rejected(issues), [i for i in issues if is_disputed(i)], overruled(issues))


def _mended(state: State, fix: Fix) -> Mended:
    entry = next((a for a in reversed(state.applied_fixes) if a.fix_id == fix.id), None)
    return Mended(fix, entry, tuple(i for i in state.issues if i.id in fix.issue_ids))


def why_left(state: State, issue: Issue) -> str:
    """Say why an issue is still open."""
    fixes = [fix for fix in state.proposed_fixes if issue.id in fix.issue_ids]
    if not fixes:
        return "no strategy can mend it without guessing"
    last = fixes[-1]
    if last.status in _WHY_LEFT:
        return f"{last.id}: {_WHY_LEFT[last.status]}"
    entry = next((a for a in reversed(state.applied_fixes) if a.fix_id == last.id), None)
    done = entry and entry.verification_result is Verification.ROLLED_BACK
    word = "was rolled back" if done else "was refused" if last.status is FixStatus.REFUSED else "failed verification"
    return f"{last.id} {word}: {last.reason}"


def _unknown(state: State) -> list[str]:
    """Give what the run could not know."""
    diagnosis = state.diagnosis
    return [
        f"the {name} diagnosis was {result.status}"
        for name in diagnosis.__dataclass_fields__
        if (result := getattr(diagnosis, name)) is not None and result.status != "completed"
    ]
