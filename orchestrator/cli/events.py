"""`tune-skill events`: query the event log."""

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import click

from orchestrator.cli.groups import HelpfulGroup
from orchestrator.cli.input.options import json_option, parse_time, time_option
from orchestrator.cli.output.emit import emit, format_time
from orchestrator.cli.output.text import printable, safe
from orchestrator.cli.output.wrap import cut, fit
from orchestrator.errors import BadInput
from orchestrator.exits import Exit
from orchestrator.guard.log import history as log_history
from orchestrator.guard.log.event_log import Record
from orchestrator.guard.log.events import (
    FILTERS,
    open_project_log,
    query_events,
    query_set_operations,
    read_events,
    reconstruct_state_at,
)
from templates.filters import counted

_TIME_FILTERS = ("since", "until")
_MAX_COLUMNS = 240
"""Maximum width of one event on a terminal, in columns."""
_ACTOR_FIELDS = ("tool_name", "agent_type")
"""The fields in a hook's input that contain the name of the tool or the agent."""


@click.group(cls=HelpfulGroup)
def events() -> None:
    """Query the event log: what hooks recorded, and the steps of tuning runs.

    \b
    Examples:
      tune-skill events show               the steps of the newest run
      tune-skill events history -n 20
      tune-skill events query --event delegation_completed --since 2026-03-01
      tune-skill events query --cycle 3 --session 1a2b3c4d
      tune-skill events query-set subtraction cycle=3 event_type=tool_call_started
    """


@events.command()
@click.argument("run", required=False)
@time_option("--at", help="Show the state at this time instead of now.")
@json_option
def show(run: str | None, at: float | None, as_json: bool) -> Exit:
    """Show the session's state, and the steps of RUN (default: the newest one)."""
    from orchestrator.guard.log.run_events import format_event

    until = time.time() if at is None else at
    state = reconstruct_state_at(until)
    run_id = _find_run_id(run) if run else state["run_id"]
    matching = query_events({"run_id": run_id, "until": until}) if run_id else []
    records = [record for record in matching if format_event(record)]

    def lines() -> Iterator[str]:
        yield f"session {safe(state['session_id'] or 'none')}, cycle {state['cycle'] or 'unknown'}"
        count = counted(sum(state["counts"].values()), "event")
        yield f"{count}, the last one is {safe(state['last_event'] or 'none')}"
        if run_id:
            yield f"\nrun {safe(run_id)}"
        for record in records:
            event, text = format_event(record) or ("", "")
            yield from fit(printable(f"{format_time(record['timestamp'])}  {event:<16}  "), printable(text), 4)

    return emit({"state": state, "run_id": run_id, "events": records}, lines, as_json)


@events.command()
@click.option("-n", "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Number of events.")
@json_option
def history(limit: int, as_json: bool) -> Exit:
    """Show the most recent events, newest last."""
    return _print_records(list(read_events(limit))[::-1], as_json)


@events.command()
@click.option("--event", "event_type", metavar="NAME", help="Only events with this name.")
@time_option("--since", help="Only events from this time on.")
@time_option("--until", help="Only events up to this time.")
@click.option("--breadcrumb", metavar="CRUMB", help="Only events whose breadcrumb has all parts of this one.")
@click.option("--cycle", metavar="N", help="Only events in this cycle.")
@click.option("--prompt", metavar="ID", help="Only events after this prompt (8 characters are enough).")
@click.option("--git", metavar="COMMIT", help="Only events at this commit (7 characters are enough).")
@click.option("--session", "session_id", metavar="ID", help="Only events of this session (8 characters are enough).")
@click.option(
    "--run", "run_id", metavar="RUN", help="Only events of this tuning run (the beginning of its id is enough)."
)
@click.option("-n", "--limit", type=click.IntRange(min=1), help="Show at most this many of the newest events.")
@json_option
def query(limit: int | None, as_json: bool, **filters: Any) -> Exit:
    """Show the events that match all options."""
    if run := filters["run_id"]:
        filters["run_id"] = _find_run_id(run)
    return _print_records(query_events(filters, limit=limit), as_json)


@events.command("query-set")
@click.argument("operation", type=click.Choice(["union", "intersection", "subtraction"]))
@click.argument("queries", nargs=-1, required=True, metavar="QUERY…")
@json_option
def query_set(operation: str, queries: tuple[str, ...], as_json: bool) -> Exit:
    """Combine the results of queries, each written as name=value,name=value.

    Names: event_type, since, until, breadcrumb, cycle, prompt, git, session_id, run_id.
    """
    return _print_records(query_set_operations([_parse_query(text) for text in queries], operation), as_json)


@events.command("sessions-list")
@json_option
def sessions_list(as_json: bool) -> Exit:
    """List the sessions in the log."""
    sessions = log_history.list_sessions()

    def lines() -> Iterator[str]:
        for session in sessions:
            count = counted(sum(session["events"].values()), "event")
            times = f"{format_time(session['first'])} .. {format_time(session['last'])}"
            yield f"{safe(session['session_id'])}  {times}  {count}"

    return emit(sessions, lines, as_json, "no sessions in the event log")


@events.command()
@json_option
def stats(as_json: bool) -> Exit:
    """Show the number of events, the time range, unusable lines and the size of the log."""
    statistics = log_history.compute_statistics()

    def lines() -> Iterator[str]:
        size = f"{counted(statistics['parts'], 'part')}, {counted(statistics['bytes'], 'byte')}"
        unusable = counted(statistics["skipped_lines"], "unusable line")
        yield f"{safe(statistics['path'])}: {counted(statistics['events'], 'event')} in {size}"
        yield f"from {format_time(statistics['first'])} to {format_time(statistics['last'])}; {unusable}"
        yield from (f"{count:>8}  {safe(name)}" for name, count in statistics["by_event"].items())

    return emit(statistics, lines, as_json)


@events.command()
@click.option(
    "--longer-than", type=click.FloatRange(min=0), default=3600, show_default=True, help="Minimum length in seconds."
)
@json_option
def gaps(longer_than: float, as_json: bool) -> Exit:
    """Show periods without events."""
    periods = log_history.find_gaps(longer_than)
    rows = (
        f"{format_time(gap['since'])} .. {format_time(gap['until'])}  {gap['seconds']:.0f} s  "
        f"{safe(gap['after'])} -> {safe(gap['before'])}"
        for gap in periods
    )
    no_gaps = [f"no gap longer than {longer_than:g} seconds between events"]
    return emit(periods, lambda: rows if periods else no_gaps, as_json)


def _print_records(records: list[Record], as_json: bool) -> Exit:
    return emit(
        records, lambda: (line for record in records for line in _format_record(record)), as_json, "no matching events"
    )


def _format_record(record: Record) -> Iterator[str]:
    """Yield the lines of an event. On a terminal, long events are cut."""
    data = json.dumps(record["data"], ensure_ascii=False) if record["data"] else ""
    hook_input, breadcrumb = record["hook_input"] or {}, record["breadcrumb"] or "-"
    actor = next((str(hook_input[name]) for name in _ACTOR_FIELDS if hook_input.get(name)), "")
    text = " ".join(filter(None, (actor, data)))
    head = printable(f"{format_time(record['timestamp'])}  {record['event']:<20}  {breadcrumb}  ")
    return fit(head, printable(cut(text, _MAX_COLUMNS) if sys.stdout.isatty() else text), 4)


def _parse_query(text: str) -> dict[str, Any]:
    """Parse name=value,name=value into filters. Raises BadInput."""
    filters: dict[str, Any] = {}
    for pair in text.split(","):
        name, equals, value = pair.partition("=")
        if not equals or name not in FILTERS:
            raise BadInput(f"{pair}: write a query as name=value; the names are {', '.join(sorted(FILTERS))}")
        if name in _TIME_FILTERS:
            filters[name] = parse_time(value)
        else:
            filters[name] = _find_run_id(value) if name == "run_id" else value
    return filters


def _find_run_id(name: str) -> str:
    from orchestrator.run.work_dirs import match_run_id

    logged = (record["data"].get("run_id") for record in open_project_log().read(needles=[b'"run_id":']))
    ids = sorted({id for id in logged if isinstance(id, str)})
    return match_run_id(name, ids, "in the log", "see `tune-skill events query --event run_created`")
