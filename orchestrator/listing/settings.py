"""Read the settings of Claude Code that change the listing. Project settings override user settings."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from actions.project.model_listings import ListingSettings
from actions.skill.text import MAX_DESCRIPTION
from orchestrator.fs.home import claude_folder
from orchestrator.listing.user_skills import read_json, read_user_json

BUDGET = "SLASH_COMMAND_TOOL_CHAR_BUDGET"
"""Environment variable with the size of a listing in characters, which replaces the share of the context window."""
_STATES = ("on", "name-only", "user-invocable-only", "off")
FRACTION, LIMIT, OVERRIDES = "skillListingBudgetFraction", "skillListingMaxDescChars", "skillOverrides"


def read_listing_settings(root: Path) -> ListingSettings:
    """Return the settings for sessions in the project at `root`, without values that Claude Code rejects."""
    names = ("settings.json", "settings.local.json")
    user_settings = read_user_json(claude_folder() / names[0])
    merged_settings: dict[str, Any] = {}
    overrides: dict[str, str] = {}
    for settings in (user_settings, *(read_json(root / ".claude" / name) for name in names)):
        merged_settings |= settings
        overrides |= _read_overrides(settings.get(OVERRIDES))
    characters = os.environ.get(BUDGET, "")
    share, limit = merged_settings.get(FRACTION), merged_settings.get(LIMIT)
    return ListingSettings(
        int(characters) if characters.isdecimal() and len(characters) < 10 else 0,
        share if isinstance(share, int | float) and 0 < share <= 1 else ListingSettings().share,
        limit if isinstance(limit, int) and limit > 0 else MAX_DESCRIPTION,
        overrides,
    )


def to_claude_settings(settings: ListingSettings) -> dict[str, Any]:
    """Convert the settings to the format of Claude Code's `settings.json`."""
    return {FRACTION: settings.share, LIMIT: settings.limit, OVERRIDES: dict(settings.overrides)}


def _read_overrides(value: object) -> Mapping[str, str]:
    if not isinstance(value, dict):
        return {}
    return {name: state for name, state in value.items() if state in _STATES}
