"""action-complete and action-abort: the final report, of a run that did its work or of one with too many errors."""

from dataclasses import replace

from actions.case import Case
from actions.reporting.report import render_report
from actions.steps.outcome import Outcome, Tools, WriteReport
from schemas.records import Move, State
from schemas.vocabulary import ActionResult, FixStatus, Phase

_REASON = "the run failed before its turn"


def complete(state: State, case: Case, tools: Tools) -> Outcome:
    """Write the report and end the run."""
    text = _report(state, Phase.COMPLETED, tools)
    return Outcome({"final_report": text}, "complete", "report written", (WriteReport(text),))


def abort(state: State, case: Case, tools: Tools) -> Outcome:
    """Give up what was selected, write the report, fail. Every unverified fix is back already."""
    chosen, refused = FixStatus.SELECTED, FixStatus.REFUSED
    fixes = tuple(replace(f, status=refused, reason=_REASON) if f.status is chosen else f for f in state.proposed_fixes)
    text = _report(replace(state, proposed_fixes=fixes), Phase.FAILED, tools)
    changes = {"proposed_fixes": fixes, "pending_fixes": (), "final_report": text}
    return Outcome(changes, "fail", "too many errors", (WriteReport(text),), result=ActionResult.FAILURE)


def _report(state: State, end: Phase, tools: Tools) -> str:
    return render_report(replace(state, walk=(*state.walk, Move(state.phase, end, tools.now()))))
