"""What the commands about sessions share: `--json`, times, and an exit code of 1 where nothing was found."""

from collections.abc import Callable, Iterable
from datetime import datetime
from math import isfinite
from typing import Any, TypeVar

import click

from orchestrator.cli.output.text import json_text, safe
from orchestrator.cli.suggesting import Suggesting
from orchestrator.exits import Exit

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


_SENTENCE = 200
"""Characters of a command's line in the help of its group: more than any first sentence has."""


class Helpful(Suggesting):
    """A group that prints its help when no command is named, which is no error."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        if not args:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with their first sentences whole: click would cut them."""
        named = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(limit=_SENTENCE)) for name, one in named if one])


def emit(value: Any, lines: Callable[[], Iterable[str]], as_json: bool, nothing: str = "") -> Exit:
    """Print `value` as JSON or as `lines`; when it is empty and `nothing` says why, the exit code is 1."""
    if as_json:
        click.echo(json_text(value), nl=False)
    else:
        for line in lines():
            click.echo(line)
    if not value and nothing:
        click.echo(f"tune-skill: {nothing}", err=True)
        return Exit.GATE
    return Exit.OK


def printable(text: str) -> str:
    """Give a line of untrusted text printable, its spaces kept."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def clock(moment: float | None) -> str:
    """Give a moment in local time."""
    try:
        return datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M:%S") if moment is not None else "never"
    except (OverflowError, ValueError, OSError):
        return safe(str(moment))


def moment(text: str) -> float:
    """Read a time: epoch seconds or ISO 8601 (without a zone: local time). Raises click.BadParameter."""
    for read in (float, lambda text: datetime.fromisoformat(text).timestamp()):
        try:
            found = read(text)
        except (ValueError, OverflowError):
            continue
        if isfinite(found):
            return found
    raise click.BadParameter(f"{text} is not a time; write epoch seconds, or 2026-03-01T09:30")


def moment_option(*names: str, help: str) -> Callable[[F], F]:
    """Give an option whose value is a time."""
    return click.option(
        *names, help=help, metavar="TIME", callback=lambda ctx, param, text: None if text is None else moment(text)
    )
