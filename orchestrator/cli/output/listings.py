"""Format the listings of skill descriptions that models see, for a terminal."""

from collections.abc import Iterator, Sequence

import click

from actions.project.listing import ListedSkill, ListingEntry
from actions.project.model_listings import ModelListing, ScopeListing
from orchestrator.cli.output.text import safe
from orchestrator.cli.output.wrap import fit
from templates.filters import counted

_BAR_WIDTH = 24
_CONTEXT_CHARS = 40
"""Number of characters that are shown before and after a cut."""


def format_scopes(scopes: Sequence[ScopeListing]) -> Iterator[str]:
    """Yield the lines of each plugin or folder: a bar for each model, then the skills that are not fully shown."""
    for number, scope in enumerate(scopes):
        if number:
            yield ""
        hidden = sum(not entry.is_listed for entry in scope.models[0].entries)
        about = counted(len(scope.skills), "skill") + (f", {hidden} not listed" if hidden else "")
        yield click.style(safe(scope.folder), bold=True) + f"  {about}"
        for listing in scope.models:
            yield _format_model(listing)
        yield from _format_incomplete(scope)
        for pair in scope.similar:
            words = f"{pair.shared} of {pair.words} words shared"
            yield from fit("  similar   ", safe(f"{pair.first} and {pair.second}: {words}"))


def _format_model(listing: ModelListing) -> str:
    filled = min(_BAR_WIDTH, round(_BAR_WIDTH * listing.size / listing.budget))
    colour = "red" if listing.size > listing.budget else "green"
    bar = click.style("█" * filled, fg=colour) + "░" * (_BAR_WIDTH - filled)
    dropped = f"  {counted(listing.dropped, 'description')} dropped" if listing.dropped else ""
    warning = click.style(dropped, fg="red") if dropped else ""
    return f"  {listing.model:<11}{bar} {listing.size:>7,} of {listing.budget:,} characters{warning}"


def _format_incomplete(scope: ScopeListing) -> Iterator[str]:
    """Yield the skills whose descriptions are cut or missing in the listing with the smallest budget."""
    smallest = min(scope.models, key=lambda listing: listing.budget)
    for skill, entry in zip(scope.skills, smallest.entries, strict=True):
        if entry.state != "shown":
            models = [listing.model for listing in scope.models if _has_state(listing, skill, entry.state)]
            where = f" ({', '.join(models)})" if entry.state == "dropped" else ""
            yield from fit(f"  {entry.state:<9} ", safe(f"{entry.name}{where}{_explain_state(skill, entry)}"))


def _has_state(listing: ModelListing, skill: ListedSkill, state: str) -> bool:
    return any((entry.name, entry.path, entry.state) == (skill.name, skill.path, state) for entry in listing.entries)


def _explain_state(skill: ListedSkill, entry: ListingEntry) -> str:
    if entry.state == "shadowed":
        return ": another skill with this name comes first"
    if entry.state != "cut":
        return f": {entry.chars:,} characters" if entry.state == "dropped" else ""
    count = len(skill.shown_description) - 1
    last, hidden = skill.shown_description[-_CONTEXT_CHARS:], skill.full_description[count:][:_CONTEXT_CHARS]
    return f": cut after {count:,} of {entry.chars:,} characters: `{last}` is shown, `{hidden}` is lost"
