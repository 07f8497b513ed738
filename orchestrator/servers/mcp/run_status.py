"""Build the status of a run that the tools return."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from actions.reporting.hints import quote_run
from actions.steps.analyze_requirements import open_questions
from orchestrator.engine.cache import open_cache
from orchestrator.engine.scan import scan_unit
from orchestrator.engine.units import ScanOptions, read_unit, read_unit_in_project
from orchestrator.model.question_queue import QuestionQueue, QueuedQuestion
from orchestrator.servers.mcp.results import Finding, OpenQuestion, ProposedFix, RunStatus, UnclearRequest
from schemas.issues import Issue
from schemas.records import Fix, State
from schemas.vocabulary import FixSource, FixStatus, IssueStatus, Pause, Phase
from templates.filters import counted

_PLACES = 20
"""The most further places of a finding that are listed."""
_NEXT = {
    "questions": "have each open question answered by its own agent (`question`, `answer`); then call `fixes`",
    "answered": "all questions are answered: call `fixes`",
    "clarification": "ask the user what is meant, then call `diagnose` with `run` and `meant`",
    "fix_selection": "show findings and diffs to the user; call `apply` with the chosen fixes, or [] for none",
    "nothing": "the run has ended: call `report`",
    "go_on": "call `fixes` to resume the run",
}


_FINDINGS, _TEXT, _DIFFS = 20, 200, 5_000
"""Limits of a result: findings, characters of each text of a finding, characters of all diffs. Claude Code 2.1.330
shows only the first 2 KB of a result over 30 KB, so its user would not see the choice of fixes."""


def make_status(state: State, work_dir: Path, notes: tuple[str, ...] = ()) -> RunStatus:
    """Return the status of a run. Before the end of its first round, the findings are those that the checks prove."""
    waiting = QuestionQueue(work_dir).list_open() if state.pause is Pause.QUESTIONS else []
    waits = _find_pause(state)
    issues = state.issues if state.rounds else _scan(state)
    is_measured = bool(state.rounds)
    reported = sorted(filter(_is_reported, issues), key=lambda issue: issue.status is IssueStatus.REJECTED)
    findings = tuple(make_finding(issue) for issue in reported[:_FINDINGS])
    fixes, diffs_left = _make_fixes(state.proposed_fixes)
    return RunStatus(
        run=state.run_id,
        skill=state.target_skill.name or "",
        path=state.target_skill.path or "",
        waits_for=waits,
        next=_NEXT["answered" if waits == "questions" and not waiting else waits],
        open_questions=len(waiting),
        questions=tuple(map(_make_open, waiting)),
        unclear=tuple(
            UnclearRequest(a.dimension_id, a.description, a.possible_interpretations) for a in open_questions(state)
        )
        if state.pause is Pause.CLARIFICATION
        else (),
        fixes=fixes,
        findings=findings,
        left_out=_describe_omitted(len(reported) - len(findings), diffs_left, quote_run(state)),
        score=state.quality_score if is_measured else None,
        gate=state.quality_gate.value if is_measured else "",
        judge=state.judge or "",
        notes=(*state.notes, *notes),
    )


def _find_pause(state: State) -> str:
    if state.phase in (Phase.COMPLETED, Phase.FAILED):
        return "nothing"
    return state.pause.value if state.pause else "go_on"


def _scan(state: State) -> tuple[Issue, ...]:
    options = ScanOptions(cache=open_cache())
    path, project = Path(state.target_skill.path or ""), state.target_skill.project
    unit = read_unit_in_project(Path(project), os.path.relpath(path, project), options) if project else None
    return scan_unit(unit or read_unit(path, options), options).issues


def _is_reported(issue: Issue) -> bool:
    return not issue.is_about_session and issue.status not in (
        IssueStatus.RESOLVED,
        IssueStatus.SUPPRESSED,
    )


def _make_open(one: QueuedQuestion) -> OpenQuestion:
    return OpenQuestion(one.id, one.question.name, one.claimed)


def make_finding(issue: Issue) -> Finding:
    """Return an issue as clients see it, with long texts cut."""
    at, places = issue.location, issue.places
    also = tuple(f"{place.file}:{place.line_start or 1}" for place in places[1 : 1 + _PLACES])
    return Finding(
        issue.id, issue.pattern, issue.severity.value, issue.status.value, issue.how_known, at.file, at.line_start,
        shorten(issue.description), shorten(places[0].quote), shorten(issue.impact) if issue.read_by else "",
        shorten(issue.verdict.why) if issue.verdict and issue.status is IssueStatus.REJECTED else "",
        len(places), also,
    )  # fmt: skip


def shorten(text: str) -> str:
    """Return a text of at most the shown length, cut between two words if possible."""
    return text if len(text) <= _TEXT else (text[:_TEXT].rpartition(" ")[0] or text[:_TEXT]).rstrip() + "…"


def _make_fixes(fixes: Sequence[Fix]) -> tuple[tuple[ProposedFix, ...], int]:
    """Return the fixes with as many diffs as fit, and the number of diffs left out."""
    shown, room, left = [], _DIFFS, 0
    for fix in map(_make_fix, fixes):
        fits = len(fix.diff) <= room
        room -= len(fix.diff) if fits else 0
        left += not fits
        shown.append(fix if fits else replace(fix, diff=""))
    return tuple(shown), left


def _describe_omitted(findings: int, diffs: int, run: str) -> str:
    parts = [counted(count, word) for count, word in ((findings, "finding"), (diffs, "diff")) if count]
    return f"not shown here: {' and '.join(parts)}; `tune-skill status {run}` shows all" if parts else ""


def _list_checks(fix: Fix) -> tuple[str, ...]:
    """Return what was verified of a draft; other fixes are verified when they are applied."""
    return fix.verification_steps if fix.review and not fix.reason else ()


def _make_fix(fix: Fix) -> ProposedFix:
    shown = fix.status in (FixStatus.PROPOSED, FixStatus.SELECTED)
    return ProposedFix(
        fix.id, fix.issue_ids, fix.description, fix.rationale, fix.risk.value,
        "the model" if fix.source is FixSource.MODEL else "tune-skill",
        _list_checks(fix), fix.status.value, fix.reason or "",
        "\n".join(change.diff for change in fix.changes) if shown else "",
    )  # fmt: skip
