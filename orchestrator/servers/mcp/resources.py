"""Provide the resources of the server: reports of runs, and pages of patterns."""

import msgspec

from actions.patterns import get_patterns
from actions.reporting.report import render_report
from orchestrator.engine.pattern_pages import render_pattern_page
from orchestrator.errors import BadInput
from orchestrator.run.store import StateStore
from orchestrator.run.work_dirs import find_run_by_id, list_finished_runs

REPORT, PATTERN = "tune-skill://report/", "tune-skill://pattern/"
_MAX_REPORTS = 50


class Resource(msgspec.Struct, frozen=True):
    """A resource: its URI and its name."""

    uri: str
    name: str


def list_resources() -> list[Resource]:
    """List the newest reports and the pages of all patterns."""
    reports = (Resource(f"{REPORT}{run.name}", f"report of {run.name}") for run in list_finished_runs()[:_MAX_REPORTS])
    return [*reports, *(Resource(f"{PATTERN}{id}", f"pattern {id}") for id in get_patterns())]


def read_resource(uri: str) -> str:
    """Return a resource as Markdown. Raises BadInput for an unknown URI."""
    if uri.startswith(REPORT):
        return _read_report(uri.removeprefix(REPORT))
    if uri.startswith(PATTERN):
        return render_pattern_page(uri.removeprefix(PATTERN))
    raise BadInput(f"{uri[:80]}: no such resource; there are {REPORT}RUN and {PATTERN}ID")


def _read_report(run: str) -> str:
    state = StateStore(find_run_by_id(run)).load(read_only=True)
    if state.final_report is None:
        raise BadInput(f"run {state.run_id} has no report yet")
    return render_report(state)
