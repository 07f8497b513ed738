"""What `install` and `uninstall` change, worked out before anything is written."""

import shutil
from dataclasses import replace
from pathlib import Path

from orchestrator.errors import Refused
from orchestrator.installation import server, settings, skill
from orchestrator.installation.changes import Change
from orchestrator.installation.command import NAME, display_command, own_command
from orchestrator.installation.places import Place, settings_files

_AGENT = f"the agent {skill.JUDGE}"


def plan_skill(place: Place, version: str) -> list[Change]:
    """Give what must change for the slash command, its agent and the server. Raises Refused for what others wrote."""
    return [
        *skill.plan_install(place.skill, skill.skill_text(display_command(), version)),
        *skill.plan_install(place.judge, skill.judge_text(version), _AGENT),
        *server.plan_install(place.servers, display_command()),
    ]


def plan_hooks(place: Place, speak_at_tools: bool) -> list[Change]:
    """Give what must change for the hooks.

    Raises Refused where they would run twice: beside the plugin's, or beside those of another settings file.
    """
    if is_plugin_enabled():
        raise Refused(
            "the plugin tune-skill is on and brings these hooks: every event would be recorded twice;"
            " leave --hooks out, or `claude plugin disable tune-skill` first"
        )
    for scope, path in settings_files().items():
        if path != place.settings and _ours(path):
            raise Refused(
                f"hooks of tune-skill stand in {path} already: every event would be recorded twice;"
                f" `tune-skill hooks uninstall{' --user' if scope == 'user' else ''}` takes them out"
            )
    return settings.plan_install(place.settings, speak_at_tools)


def plan_renewal(speak_at_tools: bool) -> list[Change]:
    """Give what must change so that hooks that stand here speak, or only record.

    Those of the user go on speaking, because other projects may want it; in this one they are silent then. Nothing but
    our own lines changes, so no backup is kept.
    """
    places = {scope: path for scope, path in settings_files().items() if speak_at_tools or scope != "user"}
    changes = (c for path in places.values() if _ours(path) for c in settings.plan_install(path, speak_at_tools))
    return [replace(change, backup=None) for change in changes]


def plan_removal(place: Place, *, with_skill: bool) -> list[Change]:
    """Give what must change to take the hooks, and the slash command, out of a place."""
    shared = [place.folder / "settings.json"] if place.name == "project" else []
    hooks = [change for path in (place.settings, *shared) for change in settings.plan_uninstall(path)]
    if not with_skill:
        return hooks
    ours = (*skill.plan_uninstall(place.skill), *skill.plan_uninstall(place.judge, _AGENT))
    return [*hooks, *ours, *server.plan_uninstall(place.servers)]


def is_plugin_enabled() -> bool:
    """Tell whether our plugin is switched on here; the weightiest settings file that names it tells."""
    found: dict[str, bool] = {}
    for path in settings_files().values():
        found |= settings.read_plugins(path)
    return any(on for name, on in found.items() if name.partition("@")[0] == NAME)


def find_other_command() -> Path | None:
    """Give the tune-skill that PATH leads to, when it is not the one that runs."""
    found = shutil.which(NAME)
    return Path(found) if found and display_command() == own_command() else None


def _ours(path: Path) -> bool:
    try:
        return bool(settings.find_installed(path))
    except Refused:
        return False
