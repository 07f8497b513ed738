"""action-abort: too many errors. Every unverified fix is back already; the report says what happened."""

from dataclasses import replace

from actions.reporting.report import report
from actions.skill import Case
from actions.steps.outcome import Outcome, Tools, WriteReport
from actions.steps.select_fixes import pending
from schemas.records import Move, State
from schemas.vocabulary import FixStatus, Phase

_REASON = "the run failed before its turn"


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Return up what was selected, write the report, fail."""
    fixes = tuple(
        replace(f, status=FixStatus.REFUSED, reason=_REASON) if f.status is FixStatus.SELECTED else f
        for f in state.proposed_fixes
    )
    walk = (*state.walk, Move(state.phase, Phase.FAILED, tools.now()))
    text = report(replace(state, proposed_fixes=fixes, walk=walk))
    changes = {"proposed_fixes": fixes, "pending_fixes": pending(fixes), "final_report": text}
    return Outcome(changes, "fail", "too many errors", (WriteReport(text),), result="failure")
