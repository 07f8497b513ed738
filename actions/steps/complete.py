"""action-complete: the final report."""

from dataclasses import replace

from actions.reporting.report import report
from actions.skill import Case
from actions.steps.outcome import Outcome, Tools, WriteReport
from schemas.records import Move, State
from schemas.vocabulary import Phase


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Write the report and end the run."""
    text = report(replace(state, walk=(*state.walk, Move(state.phase, Phase.COMPLETED, tools.now()))))
    return Outcome({"final_report": text}, "complete", "report written", (WriteReport(text),))
