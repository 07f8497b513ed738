"""`tune-skill install`: install the slash command, its agent, the MCP server and the hooks in Claude Code."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from orchestrator.cli.input.options import json_option
from orchestrator.cli.output.emit import emit
from orchestrator.cli.output.text import safe
from orchestrator.cli.output.wrap import fit
from orchestrator.errors import Interrupted
from orchestrator.exits import Exit
from orchestrator.extras import require_extra

if TYPE_CHECKING:
    from orchestrator.installation.changes import Change
    from orchestrator.installation.targets import InstallTarget

F = TypeVar("F", bound=Callable[..., Any])


def scope_options(command: F) -> F:
    """Add `--user` and `--project` to a command, as the parameter `scope`."""
    user = click.option("--user", "scope", flag_value="user", help="For all your projects, in ~/.claude.")
    project = click.option("--project", "scope", flag_value="project", help="For this project. [default]")
    return user(project(command))


@click.command()
@scope_options
@click.option("--hooks", is_flag=True, help="Also install the hooks that record sessions.")
@click.option("--check", is_flag=True, help="Change nothing: test whether the installation works.")
@json_option
def install(scope: str | None, hooks: bool, check: bool, as_json: bool) -> Exit:
    """Install the slash command /tune-skill, its agent and the MCP server in Claude Code; keep all other files.

    The MCP server is written to .mcp.json of the project, or to ~/.claude.json for the user. Each changed file gets a
    backup. A project's hooks are written to .claude/settings.local.json, because they contain paths of this machine.

    \b
    Examples:
      tune-skill install
      tune-skill install --user --hooks
      tune-skill install --check
    """
    from orchestrator.installation.changes import lock_folders
    from orchestrator.installation.install import plan_command_files, plan_hooks
    from orchestrator.version import version

    require_extra("mcp", "/tune-skill")
    target = choose_target(scope)
    if check:
        return check_and_print(target, as_json)
    with lock_folders(target.root):
        changes = plan_command_files(target, version())
        if hooks:
            changes += plan_hooks(target, read_speak_at_tools())
        notes = [*list_backup_notes(target, changes), *_list_install_notes(target, hooks)]
        return apply_and_print(target, changes, as_json, notes)


def choose_target(scope: str | None) -> "InstallTarget":
    """Return the files of an installation for the user or for the project, depending on the options."""
    from orchestrator.installation.targets import find_project_target, find_user_target

    return find_user_target() if scope == "user" else find_project_target()


def read_speak_at_tools() -> bool:
    """Return the setting `hooks.speak_at_tools`: whether the hooks at tool calls return text to Claude Code."""
    from orchestrator.guard.sessions.config import ProjectConfig

    return bool(ProjectConfig().get("hooks", "speak_at_tools"))


def apply_and_print(
    target: "InstallTarget", changes: "Sequence[Change]", as_json: bool, notes: Sequence[str] = ()
) -> Exit:
    """Apply the changes of an installation, and print them."""
    from orchestrator.installation.changes import apply_changes

    notes = [*notes, *(f"cannot delete the backup {path}; delete it yourself" for path in apply_changes(changes))]
    try:
        return _tidy_and_print(target, changes, as_json, notes)
    except KeyboardInterrupt:
        raise Interrupted("all changes were made") from None


def _tidy_and_print(target: "InstallTarget", changes: "Sequence[Change]", as_json: bool, notes: Sequence[str]) -> Exit:
    from orchestrator.installation.changes import remove_leftovers

    remove_leftovers(target.files)
    about = {
        "scope": target.name,
        "changes": [
            {
                "path": str(change.path),
                "change": change.verb,
                "what": change.subject,
                "backup": str(change.backup) if change.backup else None,
            }
            for change in changes
        ],
        "notes": list(notes),
    }

    def lines() -> Iterator[str]:
        if not changes:
            yield f"nothing to change {'in this project' if target.name == 'project' else 'in your home folder'}"
        for change in changes:
            yield f"{change.verb:<8} {safe(str(change.path))}"
            yield from fit("         ", change.subject)
            if change.backup:
                yield f"         backup: {safe(str(change.backup))}"
        for note in notes:
            yield from fit("note: ", safe(note))

    return emit(about, lines, as_json)


def check_and_print(target: "InstallTarget", as_json: bool) -> Exit:
    """Test an installation, and print a line for each part. Exit code 1 means that a part does not work."""
    from orchestrator.installation.try_install import try_install
    from orchestrator.version import version

    parts = try_install(target, version())

    def lines() -> Iterator[str]:
        for part in parts:
            yield from fit("fails  " if part.problem else "ok     ", safe(f"{part.name}: {part.problem or part.note}"))

    values = [{"name": part.name, "problem": part.problem, "note": part.note} for part in parts]
    code = emit({"scope": target.name, "parts": values}, lines, as_json)
    return Exit.GATE if any(part.problem for part in parts) else code


def list_hook_notes(target: "InstallTarget") -> Iterator[str]:
    """Yield notes on hooks that have just been installed."""
    from orchestrator.fs.git import is_unignored
    from orchestrator.fs.ownership import describe_other_owner
    from orchestrator.guard.sessions.paths import data_dir

    if whose := describe_other_owner(data_dir()):
        yield f"sessions of this project are not recorded: {whose}"
    if not whose or target.name == "user":
        yield "new sessions are recorded in .maceff/ of their project; to stop this: `tune-skill uninstall`"
    if target.name == "project" and is_unignored(target.settings, target.folder.parent):
        yield f"git does not ignore {target.settings}, which contains paths of this machine; add it to .gitignore"


def list_kept_notes(target: "InstallTarget", *, with_skill: bool) -> Iterator[str]:
    """Yield notes on what `uninstall` leaves in files of other users and in a project's shared settings."""
    from orchestrator.installation.install import find_files_of_others, find_shared_hooks

    for whose in find_files_of_others(target, with_skill=with_skill).values():
        yield f"{whose}; what tune-skill has in it stays"
    if path := find_shared_hooks(target):
        yield f"the hooks in {path} stay, because `install` did not write them; remove them yourself if you want"


def list_backup_notes(target: "InstallTarget", changes: "Sequence[Change]") -> Iterator[str]:
    """Yield notes on backups that git does not ignore."""
    from orchestrator.fs.git import is_unignored

    for change in changes if target.name == "project" else ():
        if change.backup and is_unignored(change.backup, target.folder.parent):
            yield f"git does not ignore the backup {change.backup}; add it to .gitignore"


def _format_read_rules() -> str:
    import json

    from orchestrator.installation.skill import READ_ONLY_TOOLS, SERVER_PREFIX

    return json.dumps([f"{SERVER_PREFIX}{name}" for name in READ_ONLY_TOOLS])


def _list_install_notes(target: "InstallTarget", hooks: bool) -> Iterator[str]:
    from orchestrator.installation.command import NAME, build_display_command
    from orchestrator.installation.install import find_other_command, is_plugin_enabled
    from orchestrator.installation.server import list_kept_keys

    if keys := list_kept_keys(target.servers):
        yield f"the server {NAME} in {target.servers} keeps what you added: {', '.join(keys)}"
    if other := find_other_command():
        yield f"PATH contains another tune-skill, {other}; Claude Code will call the one that you have just run"
    elif build_display_command() != [NAME]:
        yield "tune-skill is not on PATH; Claude Code will call it by its absolute path"
    if is_plugin_enabled():
        yield "the plugin is enabled as well: /tune-skill and /tune-skill:tune-skill do the same"
    if target.name == "project":
        yield (
            "when Claude Code asks whether to start the server in .mcp.json, choose “Use this MCP server” (not the "
            "default); to be asked again: `claude mcp reset-project-choices`"
        )
    rules = _format_read_rules()
    yield f"to get fewer permission prompts, add the read-only tools to `permissions.allow` in a settings file: {rules}"
    if hooks:
        yield from list_hook_notes(target)
    yield 'to use it in Claude Code: /tune-skill my-skill "what bothers you about it"'
