"""`tune-skill uninstall`: remove the slash command, the agent, the MCP server and the hooks from Claude Code."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from orchestrator.cli.input.options import json_option
from orchestrator.cli.install import (
    apply_and_print,
    choose_target,
    list_backup_notes,
    list_kept_notes,
    scope_options,
)
from orchestrator.exits import Exit

if TYPE_CHECKING:
    from orchestrator.installation.changes import Change
    from orchestrator.installation.targets import InstallTarget


@click.command()
@scope_options
@click.option(
    "--hooks",
    is_flag=True,
    help="Has no effect (it mirrors `install`): the hooks are always removed.",
)
@json_option
def uninstall(scope: str | None, hooks: bool, as_json: bool) -> Exit:
    """Remove the slash command, its agent, the MCP server and the hooks; restore the changed files.

    \b
    Example:
      tune-skill uninstall --user
    """
    from orchestrator.installation.changes import lock_folders
    from orchestrator.installation.install import plan_uninstall

    target = choose_target(scope)
    with lock_folders(target.root):
        changes = plan_uninstall(target, with_skill=True)
        return apply_and_print(target, changes, as_json, list(_list_uninstall_notes(target, changes)))


def _list_uninstall_notes(target: "InstallTarget", changes: "Sequence[Change]") -> Iterator[str]:
    from orchestrator.installation.command import NAME
    from orchestrator.installation.server import explain_kept_server
    from orchestrator.installation.skill import explain_kept

    yield from list_backup_notes(target, changes)
    yield from list_kept_notes(target, with_skill=True)
    for path in (target.skill, target.judge):
        if why := explain_kept(path):
            yield f"{path} stays, because {why}; remove it yourself if you want"
    if why := explain_kept_server(target.servers):
        yield f"the server {NAME} in {target.servers} stays, because {why}; remove it yourself if you want"
    if not changes:
        yield from _suggest_other_target(target)


def _suggest_other_target(target: "InstallTarget") -> Iterator[str]:
    """Yield how to uninstall from the other scope (user or project), if something is installed there."""
    from orchestrator.installation.install import plan_uninstall

    for scope in ("user", "project"):
        if scope != target.name and plan_uninstall(choose_target(scope), with_skill=True):
            where = "for all your projects" if scope == "user" else "in this project"
            yield f"tune-skill is installed {where}; to remove it: `tune-skill uninstall --{scope}`"
