"""action-complete and action-abort: write the final report and end the run."""

from msgspec.structs import replace

from actions.case import Case
from actions.reporting.report import render_report
from actions.steps.outcome import Outcome, Tools, WriteReport
from schemas.records import Move, State
from schemas.vocabulary import ActionResult, FixStatus, Phase

_REASON = "the run failed before it was applied"


def complete(state: State, case: Case, tools: Tools) -> Outcome:
    """Complete the run and write its report."""
    text = _render(state, Phase.COMPLETED, tools)
    return Outcome(replace(state, final_report=text), "report written", WriteReport(text))


def abort(state: State, case: Case, tools: Tools) -> Outcome:
    """Refuse the selected fixes and write the report. Unverified fixes have already been rolled back."""
    fixes = tuple(
        replace(fix, status=FixStatus.REFUSED, reason=_REASON) if fix.status is FixStatus.SELECTED else fix
        for fix in state.proposed_fixes
    )
    text = _render(replace(state, proposed_fixes=fixes), Phase.FAILED, tools)
    state = replace(state, proposed_fixes=fixes, pending_fixes=(), final_report=text)
    return Outcome(state, "too many errors", WriteReport(text), ActionResult.FAILURE)


def _render(state: State, end: Phase, tools: Tools) -> str:
    """Render the report as if the run were already in its last phase `end`.

    The run enters that phase only after the report is written.
    """
    return render_report(replace(state, walk=(*state.walk, Move(state.phase, end, tools.now()))))
