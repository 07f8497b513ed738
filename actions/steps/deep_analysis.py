"""action-deep-analysis: ask the judge about the whole skill, once per round, if the patterns are not enough."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from actions.case import Case
from actions.patterns.page import CUSTOM
from actions.review.accepting import AnswerFilter
from actions.review.asking import Asking, build_question, format_issue_line, render_skill
from actions.review.consult import list_askable_patterns
from actions.review.judge import Question
from actions.review.quotes import flatten
from actions.review.refutation import refute_additions
from actions.review.skill_view import note_hidden, view_skill
from actions.scoring.issues import update_issues
from actions.steps.diagnose import dimensions, result_of
from actions.steps.outcome import Outcome, Tools
from schemas.issues import Issue
from schemas.records import Details, DiagnosisResult, State
from schemas.vocabulary import ActionResult, DiagnosisStatus, IssueStatus
from templates.filters import counted

_NO_MODEL = "deep analysis skipped: it needs a model"


def is_due(state: State) -> bool:
    """Return whether this round needs a deep analysis."""
    if state.diagnosis.deep is not None:
        return False
    analysis, counts = state.requirement_analysis, state.issues_by_severity
    uncovered = analysis is not None and analysis.coverage.coverage_rate < 50
    again = state.iteration_count > 1 and counts.critical + counts.high > 0
    critical = any(i.severity == "critical" and i.status == "open" for i in state.issues)
    return state.options.deep or uncovered or critical or again


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Ask for findings that nothing has reported yet; each is checked like any other addition of the judge."""
    if tools.judge is None:
        notes = (*state.notes, *([_NO_MODEL] if state.options.deep else []))
        return _skip(replace(state, notes=tuple(dict.fromkeys(notes))), _NO_MODEL)
    began = tools.stopwatch()
    asking, seen = Asking(tools.judge), view_skill(case.skill)
    about = render_skill(seen.text)
    (answer,) = asking.ask([_question(state, case, about)])
    if answer is None:
        return _skip(asking.record_in(state), "no answer")
    checked = AnswerFilter(case, asking.name)
    fresh = _accept_added(answer["added"], checked, state, case)
    asking.notes += note_hidden(asking.name, seen)
    asking.notes += (f"{asking.name} sees one cause of {ids}: {why}" for ids, why in _causes(answer["causes"], state))
    asking.notes += checked.describe_rejected("the whole")
    ids = {issue.id for issue in fresh}
    issues = refute_additions(ids, (*state.issues, *fresh), case, asking, about)
    result = result_of([issue for issue in issues if issue.id in ids], round((tools.stopwatch() - began) * 1000))
    state = replace(state, diagnosis=replace(state.diagnosis, deep=result), issues=update_issues((), issues, ()))
    return Outcome(asking.record_in(state), f"deep: {counted(result.issues_found, 'finding')}")


def _skip(state: State, note: str) -> Outcome:
    result = DiagnosisResult(DiagnosisStatus.SKIPPED, 0, "none", 0, Details())
    state = replace(state, diagnosis=replace(state.diagnosis, deep=result))
    return Outcome(state, note, result=ActionResult.SKIPPED)


def _question(state: State, case: Case, about: str) -> Question:
    known = [issue for issue in state.issues if issue.status is not IssueStatus.RESOLVED]
    patterns = dict.fromkeys(
        id for name in dimensions(state) for id in list_askable_patterns(name, case) if id != CUSTOM
    )
    return build_question(
        "deep analysis",
        "deep",
        about,
        kinds=tuple(dict.fromkeys((*patterns, CUSTOM))),
        wish=state.user_issue_description,
        found="\n".join(format_issue_line(issue, issue.status) for issue in known),
        patterns=list(patterns),
    )


def _accept_added(added: Sequence[Mapping[str, Any]], checked: AnswerFilter, state: State, case: Case) -> list[Issue]:
    fresh: list[Issue] = []
    for name in dimensions(state):
        mine = [one for one in added if one["dimension"] == name]
        fresh += checked.accept_additions(mine, list_askable_patterns(name, case), (*state.issues, *fresh))
    return fresh


def _causes(added: Sequence[Mapping[str, Any]], state: State) -> Iterator[tuple[str, str]]:
    known = {issue.id for issue in state.issues}
    for one in added:
        ids = [id for id in dict.fromkeys(one["ids"]) if id in known]
        if len(ids) > 1:
            yield ", ".join(ids), flatten(one["cause"])
