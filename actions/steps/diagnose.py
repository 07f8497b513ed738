"""Run the six diagnoses. Each runs the patterns of its families and adds issues to the state."""

from collections.abc import Sequence

from msgspec.structs import replace

from actions.case import Case
from actions.evidence.issues import add_evidence, collect_evidence, merge_sessions
from actions.patterns import get_patterns
from actions.patterns.page import CUSTOM, find_page
from actions.patterns.pattern import PatternModule, get_check
from actions.review.asking import JudgeClient
from actions.review.consult import consult_judge
from actions.review.judge import Judge
from actions.review.scan_notes import drop_outdated_notes, list_scan_notes
from actions.review.verdicts import carry_over_verdicts, is_open
from actions.scoring.docs_details import add_docs_details
from actions.scoring.issues import hash_files, make_issues, update_issues
from actions.scoring.scan import list_model_only_patterns, scan
from actions.scoring.suppression import suppress_issues
from actions.steps.outcome import Outcome, Tools
from schemas.issues import Issue
from schemas.records import Details, Diagnosis, DiagnosisResult, EvidenceRow, State
from schemas.vocabulary import FOCUS, ActionResult, DiagnosisStatus, IssueSource, IssueStatus
from templates.filters import counted


def begin_round(state: State, case: Case, tools: Tools) -> Outcome:
    """Begin a round with empty diagnoses. Issues of earlier rounds are kept, so that findings keep their ids.

    The judge, if any, reads the skill now. In later rounds it reads only if there are findings that it has not judged.
    """
    number = state.iteration_count + 1
    state = replace(
        state,
        iteration_count=number,
        diagnosis=Diagnosis(),
        sessions=(),
        notes=tuple(dict.fromkeys((*state.notes, *case.session_notes))),
        target_skill=replace(state.target_skill, files=hash_files(case.skill)),
    )
    if tools.judge is None:
        return Outcome(replace(state, unasked=_count_model_only(state, case)), f"round {number}")
    return Outcome(_ask_judge(state, case, tools.judge), f"round {number}, {tools.judge.name} asked")


def _ask_judge(state: State, case: Case, judge: Judge) -> State:
    """Scan the skill, and ask the judge to read it in the first round or if there are unjudged findings."""
    modules = _list_all_modules(state, case)
    result = scan(case, modules, known=state.issues)
    issues = carry_over_verdicts(make_issues(result, state.issues), state.issues, case.skill, state.proposed_fixes)
    has_unjudged = any(is_open(i) and i.verdict is None and i.source is IssueSource.PARSER for i in issues)
    client = JudgeClient(judge, case)
    if state.iteration_count == 1 or has_unjudged:
        issues = consult_judge(issues, case, client, list_dimensions(state), state.user_issue_description)
    checked_patterns = result.list_conclusive(module.PATTERN.id for module in modules)
    issues = update_issues(state.issues, issues, {*checked_patterns, CUSTOM})
    return client.record_in(replace(state, unasked=_count_unasked(state, case, client), issues=issues))


def _count_unasked(state: State, case: Case, client: JudgeClient) -> int:
    """Return the number of patterns that need a model, if no round so far has read all of the unit, else 0."""
    if client.unread is not None and not client.unread:
        return 0
    is_first = state.iteration_count == 1
    return _count_model_only(state, case) if is_first and client.unread else state.unasked


def _count_model_only(state: State, case: Case) -> int:
    return len(list_model_only_patterns(_list_all_modules(state, case), case))


def list_dimensions(state: State) -> tuple[str, ...]:
    """Return the names of the diagnoses to run: those in the user's focus, by default all."""
    return tuple(name for name in FOCUS if name in (state.focus_areas or FOCUS))


def _list_modules(focus: str, case: Case) -> list[PatternModule]:
    """Return the enabled patterns of a diagnosis for the unit's kind."""
    modules = (module for module in get_patterns().values() if module.PATTERN.family in FOCUS[focus])
    modules = (module for module in modules if case.skill.kind in module.PATTERN.kinds)
    return [module for module in modules if case.settings.is_enabled(module.PATTERN.id, module.PATTERN.family)]


def _list_all_modules(state: State, case: Case) -> list[PatternModule]:
    return [module for focus in list_dimensions(state) for module in _list_modules(focus, case)]


def is_due(focus: str, state: State) -> bool:
    """Return whether a diagnosis must run in this round and has not run yet."""
    return focus in list_dimensions(state) and focus not in state.diagnosis.results


def act(focus: str, state: State, case: Case, tools: Tools) -> Outcome:
    """Run the patterns of one diagnosis."""
    modules = _list_modules(focus, case)
    start = tools.stopwatch()
    result = scan(case, modules, known=state.issues)
    milliseconds = round((tools.stopwatch() - start) * 1000)
    known = state.issues
    evidence = collect_evidence(case, FOCUS[focus], *([tools.judge.name] if tools.judge else []))
    current_issues = suppress_issues(add_evidence(make_issues(result, known), evidence, case, known), case)
    issues = carry_over_verdicts(current_issues, known, case.skill, state.proposed_fixes)
    focus_issues = [issue for issue in issues if not issue.is_about_session and issue.type in FOCUS[focus]]
    checked_patterns = result.list_conclusive(module.PATTERN.id for module in modules)
    status = DiagnosisStatus.FAILED if result.is_incomplete else DiagnosisStatus.COMPLETED
    notes = drop_outdated_notes(state.notes, result, checked_patterns)
    diagnosis = build_result(focus_issues, milliseconds, [m.PATTERN.id for m in modules if get_check(m)], status)
    if focus == "docs":
        diagnosis = add_docs_details(diagnosis, focus_issues, result, case.skill)
    state = replace(
        state,
        diagnosis=state.diagnosis.with_result(focus, diagnosis),
        issues=update_issues(known, issues, {*checked_patterns, *evidence.asked, CUSTOM}),
        sessions=merge_sessions(state.sessions, evidence.rows),
        notes=tuple(dict.fromkeys((*notes, *list_scan_notes(result, issues), *evidence.failed))),
    )
    nothing = "not checked" if result.unchecked else "nothing found"
    count = counted(diagnosis.issues_found, "finding") if diagnosis.issues_found else nothing
    has_failed = bool(result.failed or evidence.failed)
    return Outcome(state, f"{focus}: {count}", result=ActionResult.FAILURE if has_failed else ActionResult.SUCCESS)


def build_result(
    issues: Sequence[Issue],
    milliseconds: int,
    checked: Sequence[str] = (),
    status: DiagnosisStatus = DiagnosisStatus.COMPLETED,
) -> DiagnosisResult:
    """Return the record of a diagnosis that found `issues` and took `milliseconds`.

    `checked` are the ids of the patterns whose checks ran.
    """
    open_issues = [issue for issue in issues if issue.status is IssueStatus.OPEN]
    patterns = tuple(dict.fromkeys(issue.pattern for issue in open_issues))
    rows = [
        EvidenceRow(i.location.file, i.location.line_start, i.pattern, i.evidence[0], i.severity) for i in open_issues
    ]
    advice = dict.fromkeys(find_page(pattern)["Instead"] for pattern in patterns)
    details = Details(tuple(checked), patterns, tuple(rows), tuple(advice))
    worst = min((i.severity for i in open_issues), key=lambda s: s.rank).value if open_issues else "none"
    return DiagnosisResult(status, len(open_issues), worst, milliseconds, details)
