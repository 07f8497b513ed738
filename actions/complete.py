"""action-complete: the final report."""

from actions.model import Case
from actions.outcome import Outcome, Tools, WriteReport
from actions.report import report
from schemas.records import State


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Write the report and end the run."""
    text = report(state, case)
    return Outcome({"final_report": text}, "complete", "report written", (WriteReport(text),))
