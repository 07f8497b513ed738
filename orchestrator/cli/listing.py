"""`tune-skill listing`: show which descriptions the model sees at the start of a session. No file is changed."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.output.registry import format_option, print_result
from orchestrator.cli.output.results import Listings
from orchestrator.cli.output.text import warn
from orchestrator.exits import Exit

if TYPE_CHECKING:
    from orchestrator.listing.listings import FoundListings


def _parse_models(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    from actions.project.facts.models import WINDOWS, find_window

    given_names = {find_window(name): name for name in value}
    if None in given_names:
        raise click.BadParameter(f"{given_names[None]} is not known; give one of {', '.join(WINDOWS)}")
    return tuple(model for model in given_names if model)


@click.command()
@click.argument("folder", metavar="[PROJECT|PLUGIN]", default=".")
@click.option(
    "--model", multiple=True, callback=_parse_models, metavar="M",
    help="Only this model, such as haiku. Can be repeated.",
)  # fmt: skip
@click.option("--exact", is_flag=True, help="Also ask the installed Claude Code (offline, without a login).")
@format_option(Listings)
def listing(folder: str, model: tuple[str, ...], exact: bool, format_: str) -> Exit:
    """Show which descriptions the model sees at the start of a session, and which are cut or dropped.

    If a description is dropped, the model knows only the name of the skill and hardly ever uses it. The listing may
    take 1% of the context window; it also contains your own skills and Claude Code's. Each plugin is listed as
    if it were the only one. JSON shows only the model whose listing is smallest.

    The exit code is 1 if --exact finds a difference.

    \b
    Examples:
      tune-skill listing
      tune-skill listing plugins/review --model haiku --model opus
      tune-skill listing --exact --format json
    """
    from actions.project.facts.models import WINDOWS
    from orchestrator.listing.listings import read_listings

    found = read_listings(Path(folder), model or tuple(WINDOWS))
    print_result(Listings(found.scopes), format_)
    for note in found.notes:
        warn(note)
    return _compare_with_claude(found) if exact else Exit.OK


def _compare_with_claude(found: "FoundListings") -> Exit:
    from orchestrator.listing.sent_listing import find_claude, find_differences

    claude = find_claude(os.environ)
    differences = [line for scope in found.scopes for line in find_differences(claude, scope, found.settings)]
    for line in differences:
        warn(f"{claude} lists it differently: {line}")
    if not differences:
        warn(f"{claude} lists exactly the same")
    return Exit.GATE if differences else Exit.OK
