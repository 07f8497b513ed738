"""Describe in one sentence which models do not see the whole description of a skill."""

from contextlib import suppress
from pathlib import Path

from actions.grouping import group_by_key
from actions.project.facts.models import WINDOWS
from orchestrator.errors import BadInput
from orchestrator.listing.listings import read_listings
from orchestrator.project.project_reader import find_project_folder

_STATES = {
    "dropped": "do not see the description of {}, because the listing of skills is too long",
    "cut": "see only the beginning of the description of {}, because the listing of skills cuts it off",
    "shadowed": "do not see {}, because another skill with this name comes first",
}


def describe_listing(skill: Path) -> str:
    """Return which models do not see the whole description of a skill in the listing, and why, or ""."""
    root = find_project_folder(skill).resolve()
    folder = skill.resolve().relative_to(root).as_posix()
    with suppress(BadInput):
        for scope in read_listings(root, tuple(WINDOWS)).scopes:
            states = group_by_key(
                (entry.state, listing.model)
                for listing in scope.models
                for entry in listing.entries
                if entry.path == f"{folder}/SKILL.md"
            )
            for state, text in _STATES.items():
                if models := list(states.get(state, ())):
                    return f"{', '.join(models)} {text.format(skill.name)}; `tune-skill listing` shows why"
    return ""
