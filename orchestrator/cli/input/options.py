"""Define the options that several commands share."""

import math
from collections.abc import Callable
from datetime import datetime
from math import isfinite
from typing import Any, TypeVar

import click

from schemas.options import MAX_COST_USD

F = TypeVar("F", bound=Callable[..., Any])

quiet_option = click.option("--quiet", is_flag=True, help="Print no progress on stderr.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def check_amount(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Return an amount of USD. Raises click.BadParameter for nan."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("nan is not an amount of USD")
    return value


max_cost_option = click.option(
    "--max-cost-usd", type=click.FloatRange(0, 1000), callback=check_amount, metavar="X",
    help=f"Maximum cost of the model, in USD.  [default: {MAX_COST_USD:.2f}]",
)  # fmt: skip


def judge_option(default: str, *, can_wait: bool = False) -> Callable[[F], F]:
    """Build the option `--judge`. can_wait: whether the run can pause until an MCP client answers."""
    mcp = " mcp: an MCP client answers, and the run waits for it (`tune-skill mcp`);" if can_wait else ""
    return click.option(
        "--judge", type=click.Choice(["auto", "sdk", *(["mcp"] if can_wait else []), "none"]),
        default=default, show_default=True,
        help="What reviews the skill besides the parsers. auto: a model, if one is available; sdk: a model; if"
        " none is available, a warning, and run and diagnose do not pass;" + mcp + " none: no model.",
    )  # fmt: skip


def sessions_options(default: str) -> Callable[[F], F]:
    """Build the options `--sessions` and `--no-sessions`. default: what the help says about the default."""
    sessions = click.option(
        "--sessions", multiple=True, metavar="PATH",
        help=f"Recorded sessions to use as evidence, or folders of them. [default: {default}]",
    )  # fmt: skip
    no_sessions = click.option("--no-sessions", is_flag=True, help="Use no sessions.")
    return lambda command: sessions(no_sessions(command))


def read_sessions(paths: tuple[str, ...], *, no_sessions: bool) -> tuple[str, ...]:
    """Return the absolute paths in `--sessions`.

    Raises BadInput if a path has no sessions, and UsageError if `--no-sessions` is given too.
    """
    if paths and no_sessions:
        raise click.UsageError("--sessions and --no-sessions are mutually exclusive")
    if not paths:
        return ()
    from orchestrator.engine.recorded_sessions import list_session_files
    from orchestrator.fs.home import parse_path

    for path in paths:
        list_session_files(path)
    return tuple(str(parse_path(path).absolute()) for path in paths)


def time_option(*names: str, help: str) -> Callable[[F], F]:
    """Build an option whose value is a time."""
    return click.option(
        *names, help=help, metavar="TIME", callback=lambda ctx, param, text: None if text is None else parse_time(text)
    )


def parse_time(text: str) -> float:
    """Parse epoch seconds or ISO 8601 (local time if it has no zone). Raises click.BadParameter."""
    for parse in (float, lambda text: datetime.fromisoformat(text).timestamp()):
        try:
            seconds = parse(text)
        except (ValueError, OverflowError):
            continue
        if isfinite(seconds):
            return seconds
    raise click.BadParameter(f"{text} is not a time; write epoch seconds, or 2026-03-01T09:30")
