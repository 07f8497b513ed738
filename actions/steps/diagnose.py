"""The six diagnoses: each runs the patterns of its families and adds its issues to the state."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from actions.case import Case
from actions.evidence.issues import add_evidence, collect_evidence, merge_sessions
from actions.patterns import all_patterns
from actions.patterns.page import CUSTOM, find_page
from actions.patterns.pattern import PatternModule, get_check
from actions.review.asking import Asking
from actions.review.consult import consult_judge
from actions.review.judge import Judge
from actions.review.verdicts import carry_over_verdicts, is_open, list_scan_notes
from actions.scoring.docs_details import add_docs_details
from actions.scoring.issues import hash_files, make_issues, update_issues
from actions.scoring.scan import list_model_only, scan
from actions.steps.outcome import Act, Outcome, Tools
from schemas.issues import Issue
from schemas.records import Details, Diagnosis, DiagnosisResult, EvidenceRow, State
from schemas.vocabulary import FOCUS, ActionResult, DiagnosisStatus, IssueSource, IssueStatus
from templates.filters import counted


def begin_round(state: State, case: Case, tools: Tools) -> Outcome:
    """Open a round: nothing is diagnosed yet; what was found before is known, so that it keeps its id.

    A judge is asked here, about all dimensions together: its questions can go out side by side. In a later round it
    is asked where something stands that it has not judged.
    """
    number = state.iteration_count + 1
    changes: dict[str, Any] = {
        "iteration_count": number,
        "diagnosis": Diagnosis(),
        "sessions": (),
        "notes": tuple(dict.fromkeys((*state.notes, *case.session_notes))),
        "target_skill": replace(state.target_skill, files=hash_files(case.skill)),
    }
    if tools.judge is None:
        changes["unasked"] = len(list_model_only(_all_modules(state, case), case))
        return Outcome(changes, note=f"round {number}")
    judged = _judged(replace(state, **changes), case, tools.judge)
    return Outcome({**changes, **judged}, note=f"round {number}, {tools.judge.name} asked")


def _judged(state: State, case: Case, judge: Judge) -> Mapping[str, Any]:
    modules = _all_modules(state, case)
    found = scan(case, modules)
    known = carry_over_verdicts(make_issues(found, state.issues), state.issues, case.skill, state.proposed_fixes)
    fresh = {
        issue.type for issue in known if is_open(issue) and issue.verdict is None and issue.source is IssueSource.PARSER
    }
    asked = [name for name in dimensions(state) if state.iteration_count == 1 or fresh.intersection(FOCUS[name])]
    asking = Asking(judge)
    seen = consult_judge(known, case, asking, asked, state.user_issue_description)
    looked = {module.PATTERN.id for module in modules} - found.failed.keys()
    return {"unasked": 0, "issues": update_issues(state.issues, seen, {*looked, CUSTOM}), **asking.state_changes(state)}


def dimensions(state: State) -> tuple[str, ...]:
    """Return the diagnoses that the run was asked for, in their order."""
    return tuple(name for name in FOCUS if name in (state.focus_areas or FOCUS))


def _modules(focus: str, case: Case) -> list[PatternModule]:
    mine = (module for module in all_patterns().values() if module.PATTERN.family in FOCUS[focus])
    return [module for module in mine if case.settings.looks(module.PATTERN.id, module.PATTERN.family)]


def _all_modules(state: State, case: Case) -> list[PatternModule]:
    return [module for focus in dimensions(state) for module in _modules(focus, case)]


def missing(state: State) -> list[str]:
    """Return the diagnoses that this round still owes, in their order."""
    return [name for name in dimensions(state) if name not in state.diagnosis.results]


def diagnosing(focus: str) -> Act:
    """Return the action of one diagnosis."""

    def act(state: State, case: Case, tools: Tools) -> Outcome:
        modules = _modules(focus, case)
        began = tools.stopwatch()
        found = scan(case, modules)
        spent = round((tools.stopwatch() - began) * 1000)
        known = state.issues
        evidence = collect_evidence(case, FOCUS[focus], *([tools.judge.name] if tools.judge else []))
        fresh = add_evidence(make_issues(found, known), evidence, case, known)
        seen = carry_over_verdicts(fresh, known, case.skill, state.proposed_fixes)
        mine = [issue for issue in seen if not issue.is_from_session and issue.type in FOCUS[focus]]
        looked = {module.PATTERN.id for module in modules} - found.failed.keys()
        status = DiagnosisStatus.FAILED if found.failed else DiagnosisStatus.COMPLETED
        result = result_of(mine, spent, [m.PATTERN.id for m in modules if get_check(m)], status)
        if focus == "docs":
            result = add_docs_details(result, mine, found, case.skill)
        changes = {
            "diagnosis": replace(state.diagnosis, **{focus: result}),
            "issues": update_issues(known, seen, {*looked, *evidence.asked, CUSTOM}),
            "sessions": merge_sessions(state.sessions, evidence.rows),
            "notes": tuple(dict.fromkeys((*state.notes, *list_scan_notes(found, seen), *evidence.failed))),
        }
        ended = ActionResult.FAILURE if found.failed or evidence.failed else ActionResult.SUCCESS
        told = counted(result.issues_found, "finding") if result.issues_found else "nothing found"
        return Outcome(changes, note=f"{focus}: {told}", result=ended)

    return act


def result_of(
    issues: Sequence[Issue],
    spent: int,
    checked: Sequence[str] = (),
    status: DiagnosisStatus = DiagnosisStatus.COMPLETED,
) -> DiagnosisResult:
    """Return the record of a diagnosis that saw `issues` in `spent` milliseconds."""
    opened = [issue for issue in issues if issue.status is IssueStatus.OPEN]
    patterns = tuple(dict.fromkeys(issue.pattern for issue in opened))
    rows = (EvidenceRow(i.location.file, i.location.line_start, i.pattern, i.evidence[0], i.severity) for i in opened)
    advice = dict.fromkeys(find_page(pattern)["Instead"] for pattern in patterns)
    details = Details(tuple(checked), patterns, tuple(rows), tuple(advice))
    worst = min((i.severity for i in opened), key=lambda s: s.rank).value if opened else "none"
    return DiagnosisResult(status, len(opened), worst, spent, details)
