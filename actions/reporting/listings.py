"""Prepare listings of skills for a page: the parts of each bar, and the skills that are shortened or dropped."""

from collections.abc import Iterator, Sequence
from typing import Any

from actions.project.listing import ListedSkill, measure_listing
from actions.project.model_listings import ModelListing, ScopeListing


def prepare_scopes(scopes: Sequence[ScopeListing]) -> list[dict[str, Any]]:
    """Convert scopes to values for a page.

    A scope has its folder, a bar for each model, the skills that are not listed in full, and similar skills.
    """
    return [
        {
            "folder": scope.folder,
            "models": [_prepare_model(listing, scope.skills) for listing in scope.models],
            "lost": list(_list_incomplete_skills(scope)),
            "similar": scope.similar,
        }
        for scope in scopes
    ]


def _prepare_model(listing: ModelListing, skills: Sequence[ListedSkill]) -> dict[str, Any]:
    values = {"model": listing.model, "budget": listing.budget, "size": listing.size}
    return {**values, "dropped": listing.dropped, "parts": list(_list_parts(listing, skills))}


def _list_parts(listing: ModelListing, skills: Sequence[ListedSkill]) -> Iterator[dict[str, Any]]:
    """Yield the entries of a bar, each with its start and its size in characters. Dropped entries come last."""
    yield {"name": "Claude Code's own skills", "start": 0, "size": listing.reserved, "kind": "held"}
    start = listing.reserved
    listed = [
        (skill, listed_entry)
        for skill, listed_entry in zip(skills, listing.entries, strict=True)
        if listed_entry.is_listed
    ]
    for skill, entry in sorted(listed, key=lambda pair: pair[1].state == "dropped"):
        size = measure_listing([skill])
        yield {"name": entry.name, "start": start, "size": size, "kind": "gone" if entry.state == "dropped" else "now"}
        start += size


def _list_incomplete_skills(scope: ScopeListing) -> Iterator[dict[str, Any]]:
    for number, skill in enumerate(scope.skills):
        states = {listing.model: listing.entries[number].state for listing in scope.models}
        for state in sorted(set(states.values()) - {"shown"}):
            models = [model for model, model_state in states.items() if model_state == state]
            yield {"name": skill.name, "state": state, "models": models, "chars": scope.models[0].entries[number].chars}
