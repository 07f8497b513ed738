"""Plan the changes of `install` and `uninstall`, before anything is written."""

import shutil
from dataclasses import replace
from pathlib import Path

from orchestrator.errors import Refused
from orchestrator.installation import server, settings, skill
from orchestrator.installation.changes import Change
from orchestrator.installation.command import NAME, display_command, own_command
from orchestrator.installation.places import Place, settings_files

_AGENT = f"agent {skill.JUDGE}"


def plan_skill(place: Place, version: str) -> list[Change]:
    """Plan the slash command, its agent and the MCP server. Raises Refused if others wrote such a file."""
    return [
        *skill.plan_install(place.skill, skill.skill_text(display_command(), version)),
        *skill.plan_install(place.judge, skill.judge_text(version), _AGENT),
        *server.plan_install(place.servers, display_command()),
    ]


def plan_hooks(place: Place, speak_at_tools: bool) -> list[Change]:
    """Plan the hooks.

    Raises Refused if they would run twice: the plugin or another settings file has them already.
    """
    if is_plugin_enabled():
        raise Refused(
            "the plugin tune-skill is enabled and has these hooks; every event would be recorded twice;"
            " omit --hooks, or run `claude plugin disable tune-skill` first"
        )
    for scope, path in settings_files().items():
        if path != place.settings and _has_hooks(path):
            raise Refused(
                f"{path} already has the hooks of tune-skill; every event would be recorded twice;"
                f" remove them with `tune-skill hooks uninstall{' --user' if scope == 'user' else ''}`"
            )
    return settings.plan_install(place.settings, speak_at_tools)


def plan_renewal(speak_at_tools: bool) -> list[Change]:
    """Plan the change of installed hooks between speaking at tools and only recording.

    Hooks of the user keep speaking, because other projects may want it; in this one they answer nothing. Only our own
    lines change, so no backup is kept.
    """
    places = {scope: path for scope, path in settings_files().items() if speak_at_tools or scope != "user"}
    changes = (c for path in places.values() if _has_hooks(path) for c in settings.plan_install(path, speak_at_tools))
    return [replace(change, backup=None) for change in changes]


def plan_removal(place: Place, *, with_skill: bool) -> list[Change]:
    """Plan the removal of the hooks, and of the slash command, from a place."""
    shared = [place.folder / "settings.json"] if place.name == "project" else []
    hooks = [change for path in (place.settings, *shared) for change in settings.plan_uninstall(path)]
    if not with_skill:
        return hooks
    ours = (*skill.plan_uninstall(place.skill), *skill.plan_uninstall(place.judge, _AGENT))
    return [*hooks, *ours, *server.plan_uninstall(place.servers)]


def is_plugin_enabled() -> bool:
    """Return whether our plugin is enabled here, by the settings file with the highest precedence."""
    found: dict[str, bool] = {}
    for path in settings_files().values():
        found |= settings.read_plugins(path)
    return any(on for name, on in found.items() if name.partition("@")[0] == NAME)


def find_other_command() -> Path | None:
    """Return the tune-skill that PATH finds, if it is not this installation."""
    found = shutil.which(NAME)
    return Path(found) if found and display_command() == own_command() else None


def _has_hooks(path: Path) -> bool:
    try:
        return bool(settings.find_installed(path))
    except Refused:
        return False
