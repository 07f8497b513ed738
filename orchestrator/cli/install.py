"""`install` and `uninstall`: the slash command and the hooks in Claude Code."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from orchestrator.cli.output.emit import emit, json_option
from orchestrator.cli.output.text import safe
from orchestrator.cli.output.wrap import fitted
from orchestrator.exits import Exit
from orchestrator.extras import require_extra

if TYPE_CHECKING:
    from orchestrator.installation.changes import Change
    from orchestrator.installation.places import Place

F = TypeVar("F", bound=Callable[..., Any])


def scope_options(command: F) -> F:
    """Add `--user` and `--project` to a command, which gets `scope`."""
    user = click.option("--user", "scope", flag_value="user", help="For all your projects, in ~/.claude.")
    project = click.option("--project", "scope", flag_value="project", help="For this project. [default]")
    return user(project(command))


@click.command()
@scope_options
@click.option("--hooks", is_flag=True, help="Also install the hooks that record sessions.")
@json_option
def install(scope: str | None, hooks: bool, as_json: bool) -> Exit:
    """Install the slash command /tune-skill, its agent and the MCP server in Claude Code; other files stay as they are.

    The server of a project stands in .mcp.json, the user's in ~/.claude.json. A file that changes is kept as a backup.
    Hooks of a project go to .claude/settings.local.json, because they name paths of this machine.

    \b
    Examples:
      tune-skill install
      tune-skill install --user --hooks
    """
    from orchestrator.installation.install import plan_hooks, plan_skill
    from orchestrator.version import version

    require_extra("mcp", "/tune-skill")
    place = place_of(scope)
    changes = plan_skill(place, version())
    if hooks:
        changes += plan_hooks(place, speaks())
    notes = [*_backup_notes(place, changes), *_notes(place, hooks)]
    return carried_out(place, changes, as_json, notes)


@click.command()
@scope_options
@click.option(
    "--hooks",
    is_flag=True,
    help="Accepted, so that the options of `install` can be repeated; hooks are removed in any case.",
)
@json_option
def uninstall(scope: str | None, hooks: bool, as_json: bool) -> Exit:
    """Remove the slash command, its agent, the server and the hooks; files come back as they were.

    \b
    Example:
      tune-skill uninstall --user
    """
    from orchestrator.installation.install import plan_removal

    place = place_of(scope)
    changes = plan_removal(place, with_skill=True)
    return carried_out(place, changes, as_json, [] if changes else list(_elsewhere(place)))


def _elsewhere(place: "Place") -> Iterator[str]:
    """Yield how to take out what stands in the other place."""
    from orchestrator.installation.install import plan_removal

    for scope in ("user", "project"):
        if scope != place.name and plan_removal(place_of(scope), with_skill=True):
            where = "for all your projects" if scope == "user" else "in this project"
            yield f"it is installed {where}: `tune-skill uninstall --{scope}` takes it out"


def place_of(scope: str | None) -> "Place":
    """Give the place that the options name."""
    from orchestrator.installation.places import project_place, user_place

    return user_place() if scope == "user" else project_place()


def speaks() -> bool:
    """Tell whether the hooks at tools are to speak."""
    from orchestrator.guard.sessions.config import ConsciousnessConfig

    return bool(ConsciousnessConfig().get("hooks", "speak_at_tools"))


def carried_out(place: "Place", changes: "Sequence[Change]", as_json: bool, notes: Sequence[str] = ()) -> Exit:
    """Make the changes and say what they were."""
    from orchestrator.installation.changes import apply_changes

    apply_changes(changes)
    about = {
        "scope": place.name,
        "changes": [
            {"path": str(c.path), "change": c.word, "what": c.told, "backup": str(c.backup) if c.backup else None}
            for c in changes
        ],
        "notes": list(notes),
    }

    def lines() -> Iterator[str]:
        if not changes:
            yield f"nothing to change {'in this project' if place.name == 'project' else 'in your home'}"
        for change in changes:
            yield f"{change.word:<8} {safe(str(change.path))}"
            yield from fitted("         ", change.told)
            if change.backup:
                yield f"         as it was: {safe(str(change.backup))}"
        for note in notes:
            yield from fitted("note: ", safe(note))

    return emit(about, lines, as_json)


def hook_notes(place: "Place") -> Iterator[str]:
    """Give what a user should know of hooks that were just installed."""
    from orchestrator.fs.git import is_unignored

    yield "sessions that begin from now on are recorded in .maceff/ of their project; `tune-skill uninstall` ends it"
    if place.name == "project" and is_unignored(place.settings, place.folder.parent):
        yield f"git does not ignore {place.settings}, which names paths of this machine; add it to .gitignore"


def _backup_notes(place: "Place", changes: "Sequence[Change]") -> Iterator[str]:
    """Yield the backups that git would add to the project."""
    from orchestrator.fs.git import is_unignored

    for change in changes if place.name == "project" else ():
        if change.backup and is_unignored(change.backup, place.folder.parent):
            yield f"git does not ignore {change.backup}, a copy of what stood there; add it to .gitignore"


def _notes(place: "Place", hooks: bool) -> Iterator[str]:
    from orchestrator.installation.command import NAME, display_command
    from orchestrator.installation.install import find_other_command, is_plugin_enabled

    if other := find_other_command():
        yield f"PATH leads to another tune-skill, {other}; what is installed calls the one that you started"
    elif display_command() != [NAME]:
        yield "tune-skill is not on PATH; what is installed calls it by its absolute path"
    if is_plugin_enabled():
        yield "the plugin is on, too: /tune-skill and /tune-skill:tune-skill do the same"
    if place.name == "project":
        yield "Claude Code asks once whether it may start the server of .mcp.json"
    if hooks:
        yield from hook_notes(place)
    yield 'in Claude Code: /tune-skill my-skill "what bothers you about it"'
