"""Plan the changes of `install` and `uninstall` before anything is written."""

import shutil
from pathlib import Path

from msgspec.structs import replace

from orchestrator.errors import Refused
from orchestrator.fs.ownership import describe_stranger
from orchestrator.installation import server, settings, skill
from orchestrator.installation.changes import Change, find_backups
from orchestrator.installation.command import NAME, build_display_command, build_own_command
from orchestrator.installation.created import ensure_own_notes, find_digest, was_created
from orchestrator.installation.targets import InstallTarget, ensure_no_link, list_settings_files

_AGENT_SUBJECT = f"agent {skill.JUDGE}"


def plan_command_files(target: InstallTarget, version: str) -> list[Change]:
    """Plan the files of the slash command and its agent, and the entry of the MCP server.

    Raises Refused if one of these files exists and was not written by tune-skill.
    """
    ensure_own_notes()
    return [
        *skill.plan_install(target.skill, skill.render_skill(build_display_command(), version)),
        *skill.plan_install(target.judge, skill.render_judge(version), _AGENT_SUBJECT),
        *server.plan_install(target.servers, build_display_command()),
    ]


def plan_hooks(target: InstallTarget, speak_at_tools: bool) -> list[Change]:
    """Plan the hooks. `speak_at_tools` is the setting `hooks.speak_at_tools`.

    Raises Refused if the plugin or another settings file already has these hooks, because they would run twice.
    """
    ensure_own_notes()
    if is_plugin_enabled():
        raise Refused(
            "the plugin tune-skill is enabled and has these hooks; every event would be recorded twice;"
            " omit --hooks, or run `claude plugin disable tune-skill` first"
        )
    for scope, path in list_settings_files().items():
        if path != target.settings and _has_hooks(path):
            command = f"with `tune-skill hooks uninstall{' --user' if scope == 'user' else ''}`"
            raise Refused(
                f"{path} already has the hooks of tune-skill; every event would be recorded twice;"
                f" remove them {'from that file' if scope == 'shared' else command}"
            )
    return settings.plan_install(target.settings, speak_at_tools)


def plan_hook_update(speak_at_tools: bool) -> list[Change]:
    """Plan the update of installed hooks after the setting `hooks.speak_at_tools` has changed.

    If it was switched off, the hooks in the user's settings stay, because other projects may need the text that they
    return; in this project they then return nothing. There is no backup of a file with our layout, because only lines
    that tune-skill wrote are changed. Raises Refused for a link in the project.
    """
    scopes = ("user", "project") if speak_at_tools else ("project",)
    paths = {scope: path for scope, path in list_settings_files().items() if scope in scopes and _has_hooks(path)}
    if "project" in paths:
        ensure_no_link(paths["project"])
    changes = (change for path in paths.values() for change in settings.plan_install(path, speak_at_tools))
    return [
        replace(change, backup=None) if settings.has_generated_layout(change.path) else change for change in changes
    ]


def plan_uninstall(target: InstallTarget, *, with_skill: bool) -> list[Change]:
    """Plan the removal of the hooks and, `with_skill`, of the slash command, its agent and the MCP server.

    Hooks in a project's settings.json, which its users share, stay: `install` does not write them. Files of other users
    stay too (see `find_files_of_others`).
    """
    ensure_own_notes()
    plans = _plan_removals(target, with_skill)
    return [change for path, changes in plans.items() if not _describe_other_user(path) for change in changes]


def find_files_of_others(target: InstallTarget, *, with_skill: bool) -> dict[Path, str]:
    """Map the files that `uninstall` leaves, although they have something of tune-skill, to whose they are.

    They belong to another user, and no note says that this user's `install` wrote them.
    """
    plans = _plan_removals(target, with_skill)
    return {path: whose for path, changes in plans.items() if changes and (whose := _describe_other_user(path))}


def _plan_removals(target: InstallTarget, with_skill: bool) -> dict[Path, list[Change]]:
    """Plan the removal of what tune-skill has in each file."""
    hooks = {target.settings: settings.plan_uninstall(target.settings)}
    if not with_skill:
        return hooks
    return hooks | {
        target.skill: skill.plan_uninstall(target.skill),
        target.judge: skill.plan_uninstall(target.judge, _AGENT_SUBJECT),
        target.servers: server.plan_uninstall(target.servers),
    }


def _describe_other_user(path: Path) -> str:
    if find_digest(path) or was_created(path) or find_backups(path):
        return ""
    return describe_stranger(path)


def find_shared_hooks(target: InstallTarget) -> Path | None:
    """Return the settings file of a project whose hooks of tune-skill `install` did not write, or None."""
    shared = target.folder / "settings.json"
    return shared if target.name == "project" and _has_hooks(shared) else None


def is_plugin_enabled() -> bool:
    """Return whether the plugin of tune-skill is enabled in this project, by the settings of highest precedence."""
    plugins: dict[str, bool] = {}
    for path in list_settings_files().values():
        plugins |= settings.read_plugins(path)
    return any(is_on for name, is_on in plugins.items() if name.partition("@")[0] == NAME)


def find_other_command() -> Path | None:
    """Return the first `tune-skill` on PATH if it belongs to another installation, else None."""
    program = shutil.which(NAME)
    return Path(program) if program and build_display_command() == build_own_command() else None


def _has_hooks(path: Path) -> bool:
    try:
        return bool(settings.find_installed(path))
    except Refused:
        return False
