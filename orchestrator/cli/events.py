"""`tune-skill events`: what happened, from the event log."""

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import click

from orchestrator.cli.output.emit import Helpful, clock, emit, json_option, moment, moment_option, printable
from orchestrator.cli.output.text import safe
from orchestrator.cli.output.wrap import cut, fitted
from orchestrator.errors import BadInput
from orchestrator.exits import Exit
from orchestrator.guard.log import history as figures
from orchestrator.guard.log.event_log import Record
from orchestrator.guard.log.events import (
    FILTERS,
    project_log,
    query_events,
    query_set_operations,
    read_events,
    reconstruct_state_at,
)
from orchestrator.run.work_dirs import run_meant
from templates.filters import counted

_TIMES = ("since", "until")
_LONG = 240
"""Columns of what is shown of one event at a terminal."""
_WHO = ("tool_name", "agent_type")
"""What of a hook's input says who did something."""


@click.group(cls=Helpful)
def events() -> None:
    """Query the event log: what hooks recorded, and the steps of tuning runs.

    \b
    Examples:
      tune-skill events show               the story of the newest run
      tune-skill events history -n 20
      tune-skill events query --event delegation_completed --since 2026-03-01
      tune-skill events query --cycle 3 --session 1a2b3c4d
      tune-skill events query-set subtraction cycle=3 event_type=tool_call_started
    """


@events.command()
@click.argument("run", required=False)
@moment_option("--at", help="The state at this time instead of now.")
@json_option
def show(run: str | None, at: float | None, as_json: bool) -> Exit:
    """Show the state that the events add up to, and the story of RUN (by default the newest run)."""
    from orchestrator.guard.log import story

    until = time.time() if at is None else at
    state = reconstruct_state_at(until)
    named = _run_id(run) if run else state["run_id"]
    records = [r for r in query_events({"run_id": named, "until": until}) if story.format_event(r)] if named else []

    def lines() -> Iterator[str]:
        yield f"session {safe(state['session_id'] or 'none')}, cycle {state['cycle'] or 'unknown'}"
        yield f"{counted(sum(state['counts'].values()), 'event')}, the last one: {safe(state['last_event'] or 'none')}"
        if named:
            yield f"\nrun {safe(named)}"
        for record in records:
            event, said = story.format_event(record) or ("", "")
            yield from fitted(printable(f"{clock(record['timestamp'])}  {event:<16}  "), printable(said), 4)

    return emit({"state": state, "run_id": named, "events": records}, lines, as_json)


@events.command()
@click.option("-n", "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="How many.")
@json_option
def history(limit: int, as_json: bool) -> Exit:
    """Show the newest events, the last one at the end."""
    return _listed(list(read_events(limit))[::-1], as_json)


@events.command()
@click.option("--event", "event_type", metavar="NAME", help="Events of this name.")
@moment_option("--since", help="Not before this time.")
@moment_option("--until", help="Not after this time.")
@click.option("--breadcrumb", metavar="CRUMB", help="At this place: a breadcrumb, or some of its parts.")
@click.option("--cycle", metavar="N", help="In this cycle.")
@click.option("--prompt", metavar="ID", help="Under this prompt (the first 8 characters will do).")
@click.option("--git", metavar="COMMIT", help="At this commit (the first 7 characters will do).")
@click.option("--session", "session_id", metavar="ID", help="Of this session (the first 8 characters will do).")
@click.option("--run", "run_id", metavar="RUN", help="Of this run of the tuner (the beginning of its id will do).")
@click.option("-n", "--limit", type=click.IntRange(min=1), help="Only so many of the newest.")
@json_option
def query(limit: int | None, as_json: bool, **filters: Any) -> Exit:
    """Show the events that meet all conditions."""
    if run := filters["run_id"]:
        filters["run_id"] = _run_id(run)
    return _listed(query_events(filters, limit=limit), as_json)


@events.command("query-set")
@click.argument("operation", type=click.Choice(["union", "intersection", "subtraction"]))
@click.argument("queries", nargs=-1, required=True, metavar="QUERY…")
@json_option
def query_set(operation: str, queries: tuple[str, ...], as_json: bool) -> Exit:
    """Combine queries, each written as name=value,name=value.

    Names: event_type, since, until, breadcrumb, cycle, prompt, git, session_id, run_id.
    """
    return _listed(query_set_operations([_filters(text) for text in queries], operation), as_json)


@events.command("sessions-list")
@json_option
def sessions_list(as_json: bool) -> Exit:
    """List the sessions in the log."""
    found = figures.list_sessions()
    sums = (counted(sum(s["events"].values()), "event") for s in found)
    rows = (
        f"{safe(s['session_id'])}  {clock(s['first'])} .. {clock(s['last'])}  {count}"
        for s, count in zip(found, sums, strict=True)
    )
    return emit(found, lambda: rows, as_json, "the log knows no session")


@events.command()
@json_option
def stats(as_json: bool) -> Exit:
    """Show counts, times, unusable lines and the size of the log."""
    found = figures.compute_statistics()

    def lines() -> Iterator[str]:
        files = f"{counted(found['parts'], 'part')}, {counted(found['bytes'], 'byte')}"
        unusable = counted(found["skipped_lines"], "unusable line")
        yield f"{safe(found['path'])}: {counted(found['events'], 'event')} in {files}"
        yield f"from {clock(found['first'])} to {clock(found['last'])}; {unusable}"
        yield from (f"{count:>8}  {safe(name)}" for name, count in found["by_event"].items())

    return emit(found, lines, as_json)


@events.command()
@click.option(
    "--longer-than", type=click.FloatRange(min=0), default=3600, show_default=True, help="Seconds without an event."
)
@json_option
def gaps(longer_than: float, as_json: bool) -> Exit:
    """Show the times in which nothing happened."""
    found = figures.find_gaps(longer_than)
    rows = (
        f"{clock(gap['since'])} .. {clock(gap['until'])}  {gap['seconds']:.0f} s  "
        f"{safe(gap['after'])} -> {safe(gap['before'])}"
        for gap in found
    )
    return emit(found, lambda: rows if found else [f"no gap of more than {longer_than:g} seconds"], as_json)


def _listed(records: list[Record], as_json: bool) -> Exit:
    return emit(records, lambda: (line for record in records for line in _row(record)), as_json, "no matching events")


def _row(record: Record) -> Iterator[str]:
    """Give the line of an event; at a terminal it goes on below, and what is long is cut."""
    data = json.dumps(record["data"], ensure_ascii=False) if record["data"] else ""
    given, place = record["hook_input"] or {}, record["breadcrumb"] or "-"
    who = next((str(given[name]) for name in _WHO if given.get(name)), "")
    what = " ".join(filter(None, (who, data)))
    head = printable(f"{clock(record['timestamp'])}  {record['event']:<20}  {place}  ")
    return fitted(head, printable(cut(what, _LONG) if sys.stdout.isatty() else what), 4)


def _filters(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for pair in text.split(","):
        name, equals, value = pair.partition("=")
        if not equals or name not in FILTERS:
            raise BadInput(f"{pair}: write a query as name=value with a name of {', '.join(sorted(FILTERS))}")
        found[name] = moment(value) if name in _TIMES else _run_id(value) if name == "run_id" else value
    return found


def _run_id(name: str) -> str:
    """Give the id of the run that `name`, an id or its beginning, means."""
    told = (record["data"].get("run_id") for record in project_log().read(needles=[b'"run_id":']))
    ids = sorted({id for id in told if isinstance(id, str)})
    return run_meant(name, ids, "in the log", "see `tune-skill events query --event run_created`")
