"""State fields that are spelled in two ways."""

from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.state.fields import Act, FieldUse, field_uses
from actions.skill.skill import Skill


@dataclass(frozen=True)
class Slip:
    """A field called `name` at `uses`, and `usual` where it is declared or mostly used."""

    name: str
    usual: str
    uses: tuple[FieldUse, ...]


def spellings(skill: Skill) -> Iterator[Slip]:
    """Give each spelling that differs from the usual one by case or underscores alone."""
    groups: dict[str, dict[str, list[FieldUse]]] = {}
    for use in field_uses(skill):
        groups.setdefault(use.name.replace("_", "").lower(), {}).setdefault(use.name, []).append(use)
    for names in groups.values():
        if len(names) > 1:
            usual = max(names, key=lambda name: (_weight(names[name]), len(names[name]), name))
            yield from (Slip(name, usual, tuple(uses)) for name, uses in names.items() if name != usual)


def _weight(uses: list[FieldUse]) -> int:
    acts = {use.act for use in uses}
    return 2 if Act.DECLARE in acts else int(Act.SET in acts)
