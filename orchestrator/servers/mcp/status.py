"""Where a run stands, as the tools tell it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from actions.reporting.hints import quote_run
from actions.steps.analyze_requirements import unclear
from orchestrator.engine.cache import open_cache
from orchestrator.engine.scan import scan_unit
from orchestrator.engine.units import ScanOptions, read_unit
from orchestrator.model.question_queue import Desk, Waiting
from orchestrator.project.settings import read_project_settings
from orchestrator.servers.mcp.records import Finding, Mend, Open, Standing, Unclear
from schemas.issues import Issue
from schemas.records import Fix, State
from schemas.vocabulary import FixSource, FixStatus, IssueStatus, Pause, Phase
from templates.filters import counted

_NEXT = {
    "questions": "answer the open questions (`question`, `answer`), each by an agent of its own; then call `fixes`",
    "answered": "all questions are answered: call `fixes`",
    "clarification": "ask the user what is meant, then call `diagnose` with `run` and `meant`",
    "fix_selection": "show findings and diffs to the user; call `apply` with the fixes that the user chooses, or []",
    "nothing": "the run has ended: call `report`",
    "go_on": "call `fixes`: it goes on where the run was stopped",
}


_FINDINGS, _TEXT, _DIFFS = 20, 200, 5_000
"""Findings, letters of a sentence or quote of one, letters of all diffs that are shown: of an answer over 30 KB
Claude Code 2.1.330 shows the first 2 KB, and the choice was never seen."""


def standing(state: State, work_dir: Path, notes: tuple[str, ...] = ()) -> Standing:
    """Return where a run stands. Before its first round is through, its findings are those that are proven."""
    waiting = Desk(work_dir).waiting() if state.pause is Pause.QUESTIONS else []
    waits = _waits_for(state)
    issues = state.issues if state.rounds else _proven(state)
    measured = bool(state.rounds)
    told = sorted(filter(_is_told, issues), key=lambda issue: issue.status is IssueStatus.REJECTED)
    findings = tuple(_finding(issue) for issue in told[:_FINDINGS])
    fixes, diffs_left = _mends(state.proposed_fixes)
    return Standing(
        run=state.run_id,
        skill=state.target_skill.name or "",
        path=state.target_skill.path or "",
        waits_for=waits,
        next=_NEXT["answered" if waits == "questions" and not waiting else waits],
        open_questions=len(waiting),
        questions=tuple(map(_open, waiting)),
        unclear=tuple(Unclear(a.dimension_id, a.description, a.possible_interpretations) for a in unclear(state))
        if state.pause is Pause.CLARIFICATION
        else (),
        fixes=fixes,
        findings=findings,
        left_out=_left_out(len(told) - len(findings), diffs_left, quote_run(state)),
        score=state.quality_score if measured else None,
        gate=state.quality_gate.value if measured else "",
        judge=state.judge or "",
        notes=(*state.notes, *notes),
    )


def _waits_for(state: State) -> str:
    if state.phase in (Phase.COMPLETED, Phase.FAILED):
        return "nothing"
    return state.pause.value if state.pause else "go_on"


def _proven(state: State) -> tuple[Issue, ...]:
    options = ScanOptions(project=read_project_settings(), cache=open_cache())
    return scan_unit(read_unit(Path(state.target_skill.path or ""), options), options).issues


def _is_told(issue: Issue) -> bool:
    return not issue.is_from_session and issue.status not in (
        IssueStatus.RESOLVED,
        IssueStatus.SUPPRESSED,
    )


def _open(one: Waiting) -> Open:
    return Open(one.id, one.question.name, one.claimed)


def _finding(issue: Issue) -> Finding:
    at, quote = issue.location, issue.evidence[0] if issue.evidence else ""
    return Finding(
        issue.id, issue.pattern, issue.severity.value, issue.status.value, issue.known, at.file, at.line_start,
        _short(issue.description), _short(quote), _short(issue.impact) if issue.read_by else "",
        _short(issue.verdict.why) if issue.verdict and issue.status is IssueStatus.REJECTED else "",
    )  # fmt: skip


def _short(text: str) -> str:
    """Return a text that is not longer than what is shown, cut between two words where there are some."""
    return text if len(text) <= _TEXT else (text[:_TEXT].rpartition(" ")[0] or text[:_TEXT]).rstrip() + "…"


def _mends(fixes: Sequence[Fix]) -> tuple[tuple[Mend, ...], int]:
    """Return the fixes, with diffs as long as there is room, and how many diffs are not shown."""
    shown, room, left = [], _DIFFS, 0
    for mend in map(_mend, fixes):
        fits = len(mend.diff) <= room
        room -= len(mend.diff) if fits else 0
        left += not fits
        shown.append(mend if fits else replace(mend, diff=""))
    return tuple(shown), left


def _left_out(findings: int, diffs: int, run: str) -> str:
    told = [counted(count, word) for count, word in ((findings, "finding"), (diffs, "diff")) if count]
    return f"not shown here: {' and '.join(told)}; `tune-skill status {run}` shows all" if told else ""


def _checked(fix: Fix) -> tuple[str, ...]:
    """Return what was verified of a draft already; of any other fix it is when it is applied."""
    return fix.verification_steps if fix.review and not fix.reason else ()


def _mend(fix: Fix) -> Mend:
    shown = fix.status in (FixStatus.PROPOSED, FixStatus.SELECTED)
    return Mend(
        fix.id, fix.issue_ids, fix.description, fix.rationale, fix.risk.value,
        "the model" if fix.source is FixSource.MODEL else "tune-skill",
        _checked(fix), fix.status.value, fix.reason or "",
        "\n".join(change.diff for change in fix.changes) if shown else "",
    )  # fmt: skip
