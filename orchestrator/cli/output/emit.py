"""Print the results of commands with `--json`. A search without results exits with 0, as MACF documents."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

import click

from orchestrator.cli.output.text import json_text, safe
from orchestrator.exits import Exit


def emit(value: Any, lines: Callable[[], Iterable[str]], as_json: bool, empty_message: str = "") -> Exit:
    """Print `value` as JSON if `as_json` is set. Otherwise print `lines`. Return Exit.OK.

    If `value` is empty, print `empty_message` on stderr.
    """
    if as_json:
        click.echo(json_text(value), nl=False)
    else:
        for line in lines():
            click.echo(line)
    if not value and empty_message:
        click.echo(f"tune-skill: {empty_message}", err=True)
    return Exit.OK


def format_time(moment: float | None) -> str:
    """Format a Unix time as local time; "never" for None."""
    try:
        return datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M:%S") if moment is not None else "never"
    except (OverflowError, ValueError, OSError):
        return safe(str(moment))
