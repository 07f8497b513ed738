"""`tune-skill session`: show the state, time, token budget and breadcrumb of a session."""

import time
from collections.abc import Iterator
from typing import Any

import click

from orchestrator.cli.groups import HelpfulGroup
from orchestrator.cli.input.options import json_option
from orchestrator.cli.output.emit import emit, format_time
from orchestrator.cli.output.text import safe
from orchestrator.exits import Exit
from orchestrator.guard.activity import environment
from orchestrator.guard.activity.drive_stats import compute_drive_stats
from orchestrator.guard.activity.temporal import (
    format_session_duration,
    get_temporal_context,
    get_time_since_last_session,
)
from orchestrator.guard.activity.tokens import get_token_budget
from orchestrator.guard.log.events import reconstruct_state_at
from orchestrator.guard.sessions.breadcrumbs import get_breadcrumb
from orchestrator.guard.sessions.cycles import detect_auto_mode
from orchestrator.guard.sessions.state import SessionState
from schemas.codec import to_json
from templates.filters import counted

_session_option = click.option(
    "--session", "session_id", metavar="ID", help="Show this session instead of the last one."
)


@click.group(cls=HelpfulGroup)
def session() -> None:
    """Show what the hooks recorded about a session (default: the last one of this project).

    \b
    Examples:
      tune-skill session info
      tune-skill session budget --json
    """


@session.command()
@_session_option
@json_option
def info(session_id: str | None, as_json: bool) -> Exit:
    """Show the state of a session: cycle, compactions, drives, AUTO_MODE, open todos."""
    from orchestrator.guard.sessions.session import find_transcript

    id = _choose_session(session_id)
    state = SessionState.load(id)
    auto, source, confidence = detect_auto_mode(id)
    about: dict[str, Any] = {
        **vars(state),
        "cycle": reconstruct_state_at(time.time())["cycle"],
        "auto_mode": auto,
        "auto_mode_source": source,
        "auto_mode_confidence": confidence,
        "transcript": str(find_transcript(id) or "") or None,
    }

    def lines() -> Iterator[str]:
        yield f"session {safe(id)}, cycle {about['cycle'] or 'unknown'}"
        yield f"{counted(state.compaction_count, 'compaction')}, {counted(state.drive_count, 'drive')}"
        yield f"AUTO_MODE {'on' if auto else 'off'} ({source}, confidence {confidence})"
        yield from (f"todo: {safe(todo)}" for todo in state.pending_todos)
        yield f"transcript: {safe(about['transcript'] or 'not found')}"

    return emit(about, lines, as_json)


@session.command("time")
@_session_option
@json_option
def time_(session_id: str | None, as_json: bool) -> Exit:
    """Show the time, the duration of the session, and the time since the previous session."""
    id = _choose_session(session_id)
    now = get_temporal_context()
    start = SessionState.load(id).started_at
    seconds, since = (now["epoch"] - start if start else None), get_time_since_last_session(id)

    def lines() -> Iterator[str]:
        yield f"{now['day_of_week']} {now['time_of_day']}, {now['date']} {now['timestamp_formatted']} {now['timezone']}"
        yield f"duration of this session: {format_session_duration(seconds)}"
        yield f"time since the last event of another session: {format_session_duration(since)}"

    return emit({**now, "session_seconds": seconds, "seconds_since_last_session": since}, lines, as_json)


@session.command()
@_session_option
@json_option
def budget(session_id: str | None, as_json: bool) -> Exit:
    """Show how many tokens of the context window are used."""
    from orchestrator.guard.sessions.session import find_transcript

    transcript = find_transcript(_choose_session(session_id))
    budget = get_token_budget(transcript)
    about = {**to_json(budget), "left": budget.tokens_left, "percent_left": budget.percent_left}
    line = f"{budget.used:,} of {budget.window:,} tokens used, {budget.percent_left} % left"
    if transcript is None:
        about |= {"used": None, "left": None, "percent_left": None}
        line = f"token use is unknown (of {budget.window:,} tokens): this session has no transcript"
    return emit(about, lambda: [line], as_json)


@session.command()
@_session_option
@json_option
def breadcrumb(session_id: str | None, as_json: bool) -> Exit:
    """Show the current breadcrumb."""
    crumb = get_breadcrumb(session_id or "")
    return emit({"breadcrumb": crumb}, lambda: [crumb], as_json)


@session.command()
@_session_option
@json_option
def drives(session_id: str | None, as_json: bool) -> Exit:
    """Show the number of drives, their duration, and the sub-agents that ran."""
    stats = compute_drive_stats(SessionState.load(_choose_session(session_id)))

    def lines() -> Iterator[str]:
        total, average = format_session_duration(stats.total_duration), format_session_duration(stats.average)
        yield f"{counted(stats.count, 'drive')}, {total} in total, {average} on average"
        if stats.open_since is not None:
            yield f"one drive has been open since {format_time(stats.open_since)}"
        yield from (f"{count:>4}  {safe(kind)}" for kind, count in stats.delegations.items())

    return emit({**to_json(stats), "average": stats.average}, lines, as_json)


@session.command()
@json_option
def env(as_json: bool) -> Exit:
    """Show the paths of project, agent, log and settings, and the variables that set them."""
    about = environment.describe_environment()

    def lines() -> Iterator[str]:
        for name, value in about.items():
            text = value
            if isinstance(value, dict):
                text = ", ".join(f"{key} {_format_value(part)}" for key, part in value.items())
            yield f"{name:<12} {safe(_format_value(text or None))}"

    return emit(about, lines, as_json)


def _format_value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _choose_session(session_id: str | None) -> str:
    from orchestrator.guard.sessions.session import current_session_id

    return session_id or current_session_id() or "unknown"
