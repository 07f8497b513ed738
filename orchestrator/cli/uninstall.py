"""`tune-skill uninstall`: remove the slash command, the agent, the MCP server and the hooks from Claude Code."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from orchestrator.cli.input.options import json_option
from orchestrator.cli.install import apply_and_print, choose_place, scope_options
from orchestrator.exits import Exit

if TYPE_CHECKING:
    from orchestrator.installation.places import Place


@click.command()
@scope_options
@click.option(
    "--hooks",
    is_flag=True,
    help="Accepted because `install` has it; the hooks are always removed.",
)
@json_option
def uninstall(scope: str | None, hooks: bool, as_json: bool) -> Exit:
    """Remove the slash command, its agent, the MCP server and the hooks; restore the files as they were.

    \b
    Example:
      tune-skill uninstall --user
    """
    from orchestrator.installation.install import plan_removal

    place = choose_place(scope)
    changes = plan_removal(place, with_skill=True)
    return apply_and_print(place, changes, as_json, [] if changes else list(_suggest_other_place(place)))


def _suggest_other_place(place: "Place") -> Iterator[str]:
    """Yield how to uninstall from the other place, if something is installed there."""
    from orchestrator.installation.install import plan_removal

    for scope in ("user", "project"):
        if scope != place.name and plan_removal(choose_place(scope), with_skill=True):
            where = "for all your projects" if scope == "user" else "in this project"
            yield f"tune-skill is installed {where}; to remove it: `tune-skill uninstall --{scope}`"
