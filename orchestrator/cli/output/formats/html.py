"""Render pages for a browser. Each is one file that needs neither network nor scripts."""

from pathlib import Path

from orchestrator.cli.output.registry import Format
from orchestrator.cli.output.results import (
    ImprovementResult,
    Listings,
    RunReport,
    SessionTables,
    TrialResult,
    TriggerResult,
)


def format_report(result: RunReport) -> bytes:
    """Return a run as an HTML page, with the listing that currently contains the skill."""
    from actions.reporting.listings import prepare_scopes
    from actions.reporting.report import render_html
    from orchestrator.listing.listings import find_scope

    state = result.store.state
    scope = find_scope(Path(state.target_skill.root))
    return render_html(state, prepare_scopes([scope] if scope else [])).encode()


def format_trial(result: TrialResult) -> bytes:
    """Return a trial as an HTML page."""
    from orchestrator.tuning.trial import report

    return report.format_html(result.value).encode()


def format_improvement(result: ImprovementResult) -> bytes:
    """Return an improvement as an HTML page."""
    from orchestrator.tuning.improve import report

    return report.format_html(result.state).encode()


def format_trigger(result: TriggerResult) -> bytes:
    """Return a trigger test as an HTML page."""
    from orchestrator.tuning.trigger import report

    return report.format_html(result.value).encode()


def format_sessions(result: SessionTables) -> bytes:
    """Return session tables as an HTML page."""
    from templates import render

    return render("html/session_table.html", tables=result.tables, notes=result.notes).encode()


def format_listings(result: Listings) -> bytes:
    """Return listings as an HTML page, with a bar for each model."""
    from actions.reporting.listings import prepare_scopes
    from templates import render

    return render("html/listing.html", scopes=prepare_scopes(result.scopes)).encode()


FORMAT = Format(
    "html",
    {
        RunReport: format_report,
        TrialResult: format_trial,
        ImprovementResult: format_improvement,
        TriggerResult: format_trigger,
        SessionTables: format_sessions,
        Listings: format_listings,
    },
)
