"""Compute the listings of a set of skills for each model, including the skills built into Claude Code."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from actions.project.facts.bundled_skills import COMMANDS, count_reserved
from actions.project.facts.models import WINDOWS
from actions.project.listing import (
    ListedSkill,
    ListingEntry,
    compute_budget,
    compute_listing,
    measure_listing,
)
from actions.project.similar_descriptions import SimilarDescriptions, find_similar_descriptions
from actions.skill.text import MAX_DESCRIPTION

_HIDING_OVERRIDES = ("off", "user-invocable-only")
_BUILT_IN_SKILLS = tuple(ListedSkill(name, "", "builtin", description) for name, description in COMMANDS)


class ListingSettings(msgspec.Struct, frozen=True):
    """The settings of Claude Code that change a listing.

    `characters` replaces the budget if it is not 0. `share` is the part of the context window that the listing may
    take. `limit` is the maximum length of a description in characters. `overrides` maps skill names to their
    `skillOverrides`: on, name-only, user-invocable-only or off.
    """

    characters: int = 0
    share: float = 0.01
    limit: int = MAX_DESCRIPTION
    overrides: Mapping[str, str] = msgspec.field(default_factory=dict)


class ModelListing(msgspec.Struct, frozen=True):
    """A listing for one model. `budget` is the number of characters that fit; `size` is what all entries need.

    `reserved` is the number of characters of the skills bundled with Claude Code.
    """

    model: str
    budget: int
    size: int
    entries: Sequence[ListingEntry]
    reserved: int

    @property
    def dropped(self) -> int:
        """The number of descriptions that are dropped."""
        return sum(entry.state == "dropped" for entry in self.entries)

    def format_lines(self, skills: Sequence[ListedSkill]) -> list[str]:
        """Return the lines of the listing for the skills of its entries, as Claude Code writes them."""
        listed = ((skill, entry) for skill, entry in zip(skills, self.entries, strict=True) if entry.is_listed)
        return [
            f"{skill.bare_entry}: {skill.shown_description}" if entry.shown else skill.bare_entry
            for skill, entry in listed
        ]


class ScopeListing(msgspec.Struct, frozen=True):
    """The listings of a `.claude` folder or a plugin for each model, and its nearly equal descriptions.

    The user's own skills, which are in every session, come first in `skills`. `folder` is relative to the project.
    """

    folder: str
    skills: Sequence[ListedSkill]
    models: Sequence[ModelListing]
    similar: Sequence[SimilarDescriptions]


def compute_listings(
    folder: str, skills: Iterable[ListedSkill], settings: ListingSettings, models: Iterable[str] = tuple(WINDOWS)
) -> ScopeListing:
    """Return the listings of skills for models, which are named as in `WINDOWS`."""
    adapted = tuple(_apply_settings(skill, settings) for skill in skills)
    listings = tuple(_compute_listing(model, adapted, settings) for model in models)
    return ScopeListing(folder, adapted, listings, tuple(find_similar_descriptions(adapted)))


def _apply_settings(skill: ListedSkill, settings: ListingSettings) -> ListedSkill:
    override = settings.overrides.get(skill.name, "on")
    description = "" if override == "name-only" else skill.description
    is_hidden = skill.is_hidden or override in _HIDING_OVERRIDES
    return replace(skill, limit=settings.limit, description=description, is_hidden=is_hidden)


def _compute_listing(model: str, skills: Sequence[ListedSkill], settings: ListingSettings) -> ModelListing:
    budget = settings.characters or compute_budget(WINDOWS[model], settings.share)
    reserved = count_reserved({skill.name for skill in skills if not skill.is_hidden})
    entries = compute_listing((*skills, *_BUILT_IN_SKILLS), budget, reserved)
    size = reserved + measure_listing((*skills, *_BUILT_IN_SKILLS))
    return ModelListing(model, budget, size, entries[: len(skills)], reserved)
