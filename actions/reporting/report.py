"""Render the final report of a run as Markdown or HTML."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import asdict

from actions.evidence.issues import format_unknown_rate, list_line_faults, list_open_session_issues
from actions.reporting.finding_rows import CURRENT_STATUSES, explain_open_issue, list_findings
from actions.reporting.hints import note_unasked, quote_run
from actions.reporting.progress import count_families, count_transitions, list_scores
from actions.reporting.rule_changes import CHANGES, compare_rules
from actions.review.asking import is_about_lookups
from actions.review.scan_notes import describe_rejections, list_rejected_issues
from actions.review.verdicts import is_disputed
from actions.scoring.issues import select_counted_issues
from actions.scoring.quality import is_unread
from actions.skill.budget import SURVIVING_TOKENS
from schemas.concerns import CONCERNS
from schemas.issues import Issue
from schemas.records import Fix, State
from schemas.vocabulary import DiagnosisStatus, Family, FixStatus, IssueSource, IssueStatus, Phase, Ruling, Severity
from templates import render

_SEVERITIES = tuple(Severity)
_FILTERS = {
    "severity": _SEVERITIES,
    "now": CURRENT_STATUSES,
    "family": tuple(Family),
    "rule": CHANGES,
    "fix": ("kept", "failed", "proposed"),
    "phase": tuple(Phase),
    "session": ("lossy", "compacted", "whole"),
}
"""The filters of the HTML page with their values, in order. All values are constants and need no escaping."""


def render_report(state: State) -> str:
    """Return the report of a run as Markdown."""
    return render("report.md", **collect_facts(state))


def render_html(state: State, listings: Sequence[Mapping[str, Any]] = ()) -> str:
    """Return the report of a run as one HTML page that works without network and without scripts.

    `listings` is the current listing that contains the skill, as `prepare_scopes` returns it, or () if it is unknown.
    """
    findings = list_findings(state)
    titles = {row.issue.id: row.title for row in findings}
    fixes = {fix.id: fix.description for fix in state.proposed_fixes}
    values = {"findings": findings, "titles": titles, "fixes": fixes, "listings": listings}
    return render("html/report.html", **collect_facts(state), **values, groups=_FILTERS, severities=_SEVERITIES)


def collect_facts(state: State) -> dict[str, Any]:
    """Return the values that the templates of every format need."""
    fixes = [_describe_fix(state, fix) for fix in state.proposed_fixes]
    start = state.rounds[0] if state.rounds else None
    analysis, results = state.requirement_analysis, state.diagnosis.results.items()
    dimensions = analysis.dimensions if analysis else ()
    return {
        "state": state,
        "run": quote_run(state),
        "start": start,
        "before": start.tokens if start else None,
        "after": state.tokens,
        "rules": compare_rules(state.layout_before, state.layout) if state.layout_before and state.layout else (),
        "cut": SURVIVING_TOKENS,
        "families": count_families(state.issues),
        "scores": list_scores(state),
        "legs": count_transitions(state.walk),
        "concerns": [asdict(d) | {"found": _list_issues_of_kind(state, d.inferred_category)} for d in dimensions],
        "ambiguities": analysis.ambiguities if analysis else (),
        "written": list_written_files(state),
        "kept": [row for row in fixes if row["fix"].status is FixStatus.APPLIED],
        "failed": [row for row in fixes if row["fix"].status in (FixStatus.ROLLED_BACK, FixStatus.REFUSED)],
        "proposed": [row for row in fixes if row["fix"].status is FixStatus.PROPOSED],
        "found": [i for i in state.issues if i.status is not IssueStatus.SUPPRESSED and not i.is_about_session],
        "left": [{"issue": i, "why": explain_open_issue(state, i)} for i in select_counted_issues(state.issues)],
        "sessions": state.sessions,
        "shown": list_open_session_issues(state.issues),
        "lines": list_line_faults(state.issues),
        "rate": format_unknown_rate(state.sessions),
        "suppressed": [i for i in state.issues if i.status is IssueStatus.SUPPRESSED],
        "unknown": [
            *(["the model did not read all of it"] if is_unread(state) else []),
            *(
                f"the {name} diagnosis was {result.status}"
                for name, result in results
                if result.status is not DiagnosisStatus.COMPLETED
            ),
        ],
        "notes": [
            note
            for note in note_unasked("run", state.unasked, state.notes, is_unread=is_unread(state))
            if not is_about_lookups(note)
        ],
        "lookups": [note for note in state.notes if is_about_lookups(note)],
        "verdicts": {
            "confirmed": [i for i in state.issues if i.verdict and i.verdict.word is Ruling.CONFIRMED],
            "added": [
                i for i in state.issues if i.source is IssueSource.MODEL and i.status is not IssueStatus.REJECTED
            ],
            "rejected": list_rejected_issues(state.issues),
            "disputed": [i for i in state.issues if is_disputed(i)],
            "overruled": describe_rejections(state.issues),
        },
    }


def list_written_files(state: State) -> list[str]:
    """Return the paths of the files that the applied fixes changed."""
    changes = (change for fix in state.proposed_fixes if fix.status is FixStatus.APPLIED for change in fix.changes)
    return list(dict.fromkeys(f"{state.target_skill.root}/{change.file}" for change in changes))


def _list_issues_of_kind(state: State, kind: str) -> list[Issue]:
    """Return the open and fixed issues that belong to a complaint of a category (`kind`).

    These are the issues whose family or pattern matches, and those that explain the complaint according to a model.
    """
    patterns = CONCERNS[kind].patterns if kind in CONCERNS else (kind,)
    relevant = (i for i in state.issues if i.status in (IssueStatus.OPEN, IssueStatus.RESOLVED))
    explain = {i.id for i in state.issues if i.explains_complaint}
    return [issue for issue in relevant if issue.type == kind or issue.pattern in patterns or issue.id in explain]


def _describe_fix(state: State, fix: Fix) -> dict[str, Any]:
    entry = next((a for a in reversed(state.applied_fixes) if a.fix_id == fix.id), None)
    return {"fix": fix, "applied": entry, "issues": [i for i in state.issues if i.id in fix.issue_ids]}
