"""action-deep-analysis: ask the judge to read the skill again for findings that the first reading missed."""

from msgspec.structs import replace

from actions.case import Case
from actions.review.asking import JudgeClient
from actions.review.consult import consult_judge
from actions.steps.diagnose import build_result, list_dimensions
from actions.steps.outcome import Outcome, Tools
from schemas.records import Details, DiagnosisResult, State
from schemas.vocabulary import ActionResult, DiagnosisStatus
from templates.filters import counted

_NO_MODEL = "deep analysis skipped: it needs a model"


def is_due(state: State) -> bool:
    """Return whether this round needs a deep analysis."""
    if state.diagnosis.deep is not None:
        return False
    analysis, counts = state.requirement_analysis, state.issues_by_severity
    is_explained = state.options.judge == "mcp"  # the first reading has already looked for causes of the complaints
    is_uncovered = analysis is not None and analysis.coverage.coverage_rate < 50 and not is_explained
    is_still_bad = state.iteration_count > 1 and counts.critical + counts.high > 0
    is_critical = any(i.severity == "critical" and i.status == "open" for i in state.issues)
    return state.options.deep or is_uncovered or is_critical or is_still_bad


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Ask the judge for findings that are not reported yet.

    They are verified like the findings of the first reading.
    """
    if tools.judge is None:
        notes = (*state.notes, *([_NO_MODEL] if state.options.deep else []))
        return _skip(replace(state, notes=tuple(dict.fromkeys(notes))), _NO_MODEL)
    start, known = tools.stopwatch(), {issue.id for issue in state.issues}
    client = JudgeClient(tools.judge, case)
    issues = consult_judge(state.issues, case, client, list_dimensions(state), state.user_issue_description, again=True)
    if not client.has_answer:
        return _skip(client.record_in(state), "no answer")
    new_issues = [issue for issue in issues if issue.id not in known]
    result = build_result(new_issues, round((tools.stopwatch() - start) * 1000))
    state = replace(state, diagnosis=replace(state.diagnosis, deep=result), issues=issues)
    return Outcome(client.record_in(state), f"deep: {counted(result.issues_found, 'finding')}")


def _skip(state: State, note: str) -> Outcome:
    result = DiagnosisResult(DiagnosisStatus.SKIPPED, 0, "none", 0, Details())
    state = replace(state, diagnosis=replace(state.diagnosis, deep=result))
    return Outcome(state, note, result=ActionResult.SKIPPED)
