"""The options of every command that may ask a judge."""

import math
from collections.abc import Callable
from typing import Any

import click

from schemas.options import CEILING_USD

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def amount(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse what is no number."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("nan is not an amount of USD")
    return value


max_cost_option = click.option(
    "--max-cost-usd", type=click.FloatRange(0, 1000), callback=amount, metavar="X",
    help=f"The most that the judge may cost.  [default: {CEILING_USD:.2f}]",
)  # fmt: skip


def judge_option(default: str, *, later: bool = False) -> Decorator:
    """Give `--judge`; who is taken when it is not said differs between commands. later: the command can wait for it."""
    outside = " mcp: the run waits for an MCP client to answer (`tune-skill mcp`);" if later else ""
    return click.option(
        "--judge", type=click.Choice(["auto", "sdk", *(["mcp"] if later else []), "none"]),
        default=default, show_default=True,
        help="Who reads, beside the parsers. auto: a model, if one can be reached; sdk: the same, and it says what is"
        " missing if not;" + outside + " none: nobody.",
    )  # fmt: skip
