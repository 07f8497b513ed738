"""Compute the listings of the skills below a folder, one for each `.claude` folder and each plugin."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from actions.grouping import group_by_key
from actions.project.facts.models import WINDOWS
from actions.project.find_units import find_units
from actions.project.listing import ListedSkill, list_project_skills, read_listed_skill
from actions.project.model_listings import ListingSettings, ScopeListing, compute_listings
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.skill.paths import MAIN
from orchestrator.errors import BadInput
from orchestrator.listing.settings import read_listing_settings
from orchestrator.listing.user_skills import read_user_skills, read_uses
from orchestrator.project.project_reader import find_project_folder, read_project

_MAX_NAMES = 3
"""Maximum number of skills that a note names."""


class FoundListings(msgspec.Struct, frozen=True):
    """The listings of the skills and commands in or below a folder, one for each scope, with their settings.

    `notes` name the skills that were left out.
    """

    scopes: Sequence[ScopeListing]
    settings: ListingSettings
    notes: Sequence[str] = ()


def read_listings(folder: Path, models: Sequence[str]) -> FoundListings:
    """Return the listings of the skills and commands in or below a folder, including the user's own skills.

    Skills outside plugins and `.claude` folders are listed only if the folder contains no other skills. Raises BadInput
    if the folder contains neither a skill nor a command.
    """
    if not folder.is_dir():
        raise BadInput(f"{folder}: no such folder; give a project, a plugin, or a folder of skills")
    root = find_project_folder(folder)
    project = read_project(root)
    subfolder = "" if folder.resolve() == root.resolve() else folder.resolve().relative_to(root.resolve()).as_posix()
    skills_below = [skill for skill in list_project_skills(project) if _is_below(skill.path, subfolder)]
    scopes = group_by_key(
        (skill.source_folder, skill) for skill in skills_below or _list_loose_skills(project, subfolder)
    )
    notes = tuple(_describe_unprintable(project, subfolder))
    if not scopes and notes:
        raise BadInput("; ".join(notes))
    if not scopes:
        raise BadInput(f"{folder}: no skill or command in or below it; give a project, a plugin, or a folder of skills")
    users, uses, settings = read_user_skills(), read_uses(), read_listing_settings(root)
    listings = (
        compute_listings(name or ".", _add_uses((*users, *skills), uses), settings, models)
        for name, skills in scopes.items()
    )
    return FoundListings([*listings], settings, notes)


def find_scope(skill: Path) -> ScopeListing | None:
    """Return the listing, for all models, that contains the skill in a folder, or None."""
    if not (skill / MAIN).is_file():
        return None
    root = find_project_folder(skill).resolve()
    path = (skill.resolve() / MAIN).relative_to(root).as_posix()
    with suppress(BadInput):
        for scope in read_listings(root, tuple(WINDOWS)).scopes:
            if any(listed_skill.path == path for listed_skill in scope.skills):
                return scope
    return None


def _add_uses(skills: Sequence[ListedSkill], uses: Mapping[str, float]) -> Iterator[ListedSkill]:
    """Yield the skills with their recent use. `uses` maps names of skills to recent use."""
    for skill in skills:
        yield replace(skill, use=uses.get(skill.name, 0.0))


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _describe_unprintable(project: Project, folder: str) -> Iterator[str]:
    """Yield a note on the first skills below a folder whose paths have unprintable characters, and their number."""
    names = [name for name in project.unread if name.endswith(f"/{MAIN}") and not name.isprintable()]
    left_out = sorted(name for name in names if _is_below(name, folder))
    if left_out:
        more = f" and {len(left_out) - _MAX_NAMES} more" if len(left_out) > _MAX_NAMES else ""
        paths = ", ".join(left_out[:_MAX_NAMES])
        yield f"not listed, because the path has unprintable characters: {paths}{more}; rename the folder"


def _list_loose_skills(project: Project, folder: str) -> Iterator[ListedSkill]:
    """Yield the skills below a folder that Claude Code ignores: outside plugins and `.claude` folders."""
    for unit in find_units(project):
        if unit.kind is UnitKind.SKILL and not unit.is_loaded and _is_below(unit.path, folder):
            yield replace(_read_skill(project, unit), source_folder=folder)


def _read_skill(project: Project, unit: Unit) -> ListedSkill:
    return read_listed_skill(unit, (project.read_bytes(unit.path) or b"").decode("utf-8", "replace"))
