"""Format results as text for a terminal."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from orchestrator.cli.output.formats import full
from orchestrator.cli.output.registry import Format
from orchestrator.cli.output.results import (
    Catalogue,
    Diagnosis,
    FleetResult,
    ImprovementResult,
    Listings,
    RunResult,
    SessionCheck,
    SessionTables,
    TrialResult,
    TriggerResult,
)
from orchestrator.cli.output.text import safe
from orchestrator.cli.output.wrap import fit


def format_run(result: RunResult) -> str:
    """Return the findings and fixes of a run, and the next commands."""
    from orchestrator.cli.output.next_steps import format_choice, format_next_steps
    from orchestrator.cli.output.run_result import format_run_result
    from orchestrator.cli.output.sessions import format_sessions
    from schemas.vocabulary import Pause

    state = result.store.state
    if state.pause is Pause.FIX_SELECTION and not result.with_diffs:
        return _join(["", *format_choice(state, brief=True)])
    sessions = format_sessions(state.sessions, state.issues)
    lines = format_run_result(state, with_diffs=result.with_diffs)
    return _join([*sessions, *lines, "", *format_next_steps(result.store)])


def format_fleet(result: FleetResult) -> str:
    """Return the summary of a fleet."""
    from templates import render

    return render("fleet.txt", **result.value)


def format_check(result: SessionCheck) -> str:
    """Return the decision on a session, and its reasons."""
    from orchestrator.cli.output.session_check import format_session_check

    return _join(format_session_check(result))


def format_catalogue(result: Catalogue) -> str:
    """Return the page of one entry, or a list with one line per entry."""
    from templates import render

    if result.is_single:
        pages = (render(result.template, row=row, examples_first=True) for row in result.rows)
        return _join(_wrap_page("\n".join(pages).rstrip("\n")))
    id_width, note_width = (max(len(row[key]) for row in result.rows) for key in ("id", "note"))
    heads = ((f"{row['id']:<{id_width}}  {row['note']:<{note_width}}  ", row["title"]) for row in result.rows)
    return _join(line for head, title in heads for line in fit(head, title))


def _wrap_page(page: str) -> Iterator[str]:
    """Yield the lines of a Markdown page. On a terminal, text outside code fences is wrapped."""
    fence = ""
    for line in page.split("\n"):
        ticks = line[: len(line) - len(line.lstrip("`"))]
        if fence or len(ticks) > 2:
            yield line
            fence = "" if line == fence else fence or ticks
        else:
            bullet = "- " if line.startswith("- ") else ""
            yield from fit(bullet, line.removeprefix(bullet))


def format_trial(result: TrialResult) -> str:
    """Return the verdict of a trial, the difference, and the figures before and after."""
    return _join(_format_trial(result.value))


def _format_trial(value: Mapping[str, Any]) -> Iterator[str]:
    from orchestrator.tuning.trial import report

    yield report.format_headline(value)
    if difference := value["difference"]:
        yield (
            f"difference {100 * difference['mean']:+.0f} points, {100 * difference['confidence']:.1f} % interval "
            f"{100 * difference['low']:+.0f} to {100 * difference['high']:+.0f}"
        )
    yield from ("", *report.draw_rates(value), "")
    for measure in report.format_measures(value):
        before, after = f"{measure['before']:>10} before", f"{measure['after']:>10} today"
        yield f"{measure['name']:<12} {before} {after}  ({measure['between']})"
    for finding in value["fixtures"]:
        yield f"{safe(finding['finding'])}: {safe(report.describe_finding(finding))}"
        for row in finding["counts"]:
            version = "before" if row["version"] == "before" else "today"
            yield f"  {row['kind']:<10} {version:<7} {safe(report.format_counts(row))}"
    yield ""
    yield f"{value['why']}; {value['cost']['usd']:.2f} of {value['cost']['ceiling']:.2f} USD"
    yield from (f"note: {safe(note)}" for note in value["notes"])
    yield f"transcripts: {safe(value['folder'])}/sessions"


def format_improvement(result: ImprovementResult) -> str:
    """Return the steps of an improvement with their diffs, and its result."""
    from orchestrator.cli.output import improve

    return _join(improve.format_improvement(result.state))


def format_trigger(result: TriggerResult) -> str:
    """Return the matrix of a trigger test, and the prompts whose verdict is not `right`."""
    from orchestrator.cli.output import trigger

    return _join(trigger.format_trigger(result.value))


def format_listings(result: Listings) -> str:
    """Return the listings as plain text."""
    from orchestrator.cli.output.listings import format_scopes

    return _join(format_scopes(result.scopes))


def format_session_tables(result: SessionTables) -> str:
    """Return the session tables of all units as plain text."""
    from orchestrator.cli.output.session_tables import format_session_tables as format_tables

    return _join(format_tables(result.tables))


def _join(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


FORMAT = Format(
    "text",
    {
        Diagnosis: full.format_diagnosis,
        RunResult: format_run,
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
