"""Render Markdown pages. Text from skills and sessions is escaped, so it is never markup."""

import os
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Any

from orchestrator.cli.output.registry import Format
from orchestrator.cli.output.results import (
    Catalogue,
    Diagnosis,
    FleetResult,
    ImprovementResult,
    Listings,
    RunReport,
    SessionCheck,
    SessionTables,
    TrialResult,
    TriggerResult,
)
from schemas.vocabulary import Severity

if TYPE_CHECKING:
    from orchestrator.engine.rows import Row

_ROW_FIELDS = ("path", "name", "error", "unchecked", "tokens", "score", "gate", "counts", "notes", "sessions")


def format_diagnosis(result: Diagnosis) -> str:
    """Return a diagnosis of all its units as a Markdown page."""
    from actions.evidence.issues import format_unknown_rate, list_open_session_issues
    from actions.review.scan_notes import list_rejected_issues
    from orchestrator.engine.rows import split_shared_notes
    from schemas.vocabulary import IssueStatus
    from templates import render

    rows, unasked = split_shared_notes(result.rows)
    reasons = result.reasons or [""] * len(rows)
    values = [
        {
            "is_clean": not (
                row.error or row.is_incomplete or row.open_issues or list_rejected_issues(row.issues) or row.sessions
            ),
            **{name: getattr(row, name) for name in _ROW_FIELDS},
            "path": os.path.relpath(row.unit_path) if row.unit else row.path,
            "fails": reason,
            "is_incomplete": row.is_incomplete,
            "kind": row.unit.kind.value if row.unit else "",
            "groups": list(_group_issues(row)),
            "rejected": list_rejected_issues(row.issues),
            "suppressed": [issue for issue in row.suppressed if issue.status is IssueStatus.SUPPRESSED],
            "shown": list_open_session_issues(row.issues),
            "rate": format_unknown_rate(row.sessions),
        }
        for row, reason in sorted(zip(rows, reasons, strict=True), key=_get_rank)
    ]
    return render("diagnose.md", rows=values, unasked=unasked, failure=result.failure)


def _get_rank(pair: "tuple[Row, str]") -> tuple[bool, bool, int]:
    """Return the sort key of a row and its reason to fail: unreadable units, failing ones, others, each worst first."""
    row, reason = pair
    return (
        row.error is None,
        not reason,
        min((issue.severity.rank for issue in row.issues if issue.counts), default=len(Severity)),
    )


def _group_issues(row: "Row") -> Iterable[dict[str, Any]]:
    from actions.patterns.page import find_page

    issues = (issue for issue in row.open_issues if not issue.is_about_session)
    ordered = sorted(issues, key=lambda issue: (issue.severity.rank, issue.pattern))
    for (_, id), group in groupby(ordered, lambda issue: (issue.severity.rank, issue.pattern)):
        group_issues, page = list(group), find_page(id)
        yield {
            "pattern": id,
            "title": page["title"],
            "instead": page["Instead"],
            "severity": group_issues[0].severity,
            "issues": group_issues,
        }


def format_report(result: RunReport) -> bytes:
    """Render the report of a run from its state. (The report in the work dir could have been edited.)"""
    from actions.reporting.report import render_report

    return render_report(result.store.state).encode()


def format_trial(result: TrialResult) -> bytes:
    """Return the report of a trial."""
    from orchestrator.tuning.trial import report

    return report.format_markdown(result.value).encode()


def format_improvement(result: ImprovementResult) -> bytes:
    """Return the report of an improvement."""
    from orchestrator.tuning.improve import report

    return report.format_markdown(result.state).encode()


def format_trigger(result: TriggerResult) -> bytes:
    """Return the report of a trigger test."""
    from orchestrator.tuning.trigger import report

    return report.format_markdown(result.value).encode()


def format_fleet(result: FleetResult) -> str:
    """Return the summary of a fleet."""
    from templates import render

    return render("fleet.md", **result.value)


def format_check(result: SessionCheck) -> str:
    """Return a session check as a Markdown page."""
    from orchestrator.cli.output.formats.json import build_check_value
    from templates import render

    return render("steering/check.md", **build_check_value(result))


def format_session_tables(result: SessionTables) -> str:
    """Return the session tables, ready to paste into a GitHub issue."""
    from templates import render

    return render("session_table.md", tables=result.tables)


def format_listings(result: Listings) -> str:
    """Return a table of the models, and one of the skills that are not fully shown."""
    from actions.reporting.listings import prepare_scopes
    from templates import render

    return render("listing.md", scopes=prepare_scopes(result.scopes))


def format_catalogue(result: Catalogue) -> str:
    """Return the pages of all entries, one after the other."""
    from templates import render

    pages = (render(result.template, row=row, examples_first=False) for row in result.rows)
    return "\n".join(pages).rstrip("\n") + "\n"


FORMAT = Format(
    "markdown",
    {
        Diagnosis: format_diagnosis,
        RunReport: format_report,
        TrialResult: format_trial,
        ImprovementResult: format_improvement,
        TriggerResult: format_trigger,
        FleetResult: format_fleet,
        Catalogue: format_catalogue,
        SessionCheck: format_check,
        SessionTables: format_session_tables,
        Listings: format_listings,
    },
)
