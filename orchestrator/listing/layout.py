"""Lay out skills in the folders of a session, so that Claude Code lists them as in the user's own session."""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from actions.project.listing import ListedSkill
from actions.project.model_listings import ListingSettings
from orchestrator.listing.settings import BUDGET, to_claude_settings


def write_layout(
    skills: Sequence[ListedSkill], settings: ListingSettings, user: Path, project: Path, plugins: Path
) -> list[Path]:
    """Write the skills, their use counts and the listing settings. Returns the folders of the plugins.

    `user` is the config folder of Claude Code, `project` the `.claude` folder of the project. Both must exist.
    """
    plugin_folders: dict[str, Path] = {}
    for skill in skills:
        target, name = {"user": user, "project": project}.get(skill.source, plugins), skill.name
        if target is plugins:
            plugin, _, name = name.partition(":")
            target = plugin_folders.setdefault(plugin, plugins / f"plugin-{len(plugin_folders)}")
        _write_skill(skill, target, name)
    for plugin, folder in plugin_folders.items():
        (folder / ".claude-plugin").mkdir(parents=True, exist_ok=True)
        (folder / ".claude-plugin" / "plugin.json").write_text(json.dumps({"name": plugin}))
    (user / "settings.json").write_text(json.dumps(to_claude_settings(settings)))
    now = int(time.time() * 1000)
    uses = {skill.name: {"usageCount": skill.use, "lastUsedAt": now} for skill in skills if skill.use}
    (user / ".claude.json").write_text(json.dumps({"skillUsage": uses}))
    return list(plugin_folders.values())


def list_variables(settings: ListingSettings) -> Mapping[str, str]:
    """Return the environment variables that these settings need."""
    return {BUDGET: str(settings.characters)} if settings.characters else {}


def _write_skill(skill: ListedSkill, target: Path, name: str) -> None:
    parts = [part for part in name.split(":") if part not in ("", ".", "..") and "/" not in part]
    is_skill = skill.path.endswith("SKILL.md")
    file = target.joinpath(*(("skills", *parts, "SKILL.md") if is_skill else ("commands", *parts)))
    file = file if is_skill else file.with_name(f"{file.name}.md")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(skill.text, encoding="utf-8", errors="replace")
