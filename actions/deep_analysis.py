"""action-deep-analysis: the judge looks again where patterns are not enough; once per round."""

from dataclasses import replace

from actions.model import Case
from actions.outcome import Outcome, Tools
from schemas.records import Details, DiagnosisResult, State


def wanted(state: State) -> bool:
    """Tell whether this round owes a deep analysis."""
    if state.diagnosis.deep is not None:
        return False
    analysis, counts = state.requirement_analysis, state.issues_by_severity
    uncovered = analysis is not None and analysis.coverage.coverage_rate < 50
    again = state.iteration_count > 1 and counts.critical + counts.high > 0
    critical = any(i.severity == "critical" and i.status == "open" for i in state.issues)
    return state.options.deep or uncovered or critical or again


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Record that there is no judge to look: nothing is claimed."""
    result = DiagnosisResult("skipped", 0, "none", 0, Details())
    note = "a deeper look needs the judge, and there is none: skipped"
    changes = {"diagnosis": replace(state.diagnosis, deep=result), "notes": tuple(dict.fromkeys((*state.notes, note)))}
    return Outcome(changes, note=note, result="skipped")
