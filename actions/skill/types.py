"""Find types that several files of a skill's workflow define, with equal or with different field types."""

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from actions.code.types import TypeDefinition, find_type_definitions
from actions.memo import memoize
from actions.skill.paths import Role
from actions.skill.skill import Skill, SkillFile

MIN_FIELDS = 3
_WORKFLOW_ROLES = (Role.SPEC, Role.PHASE, Role.MAIN)
"""The roles of workflow files. References are left out, because their samples repeat types on purpose."""


class TypePlace(msgspec.Struct, frozen=True):
    """A type definition, with its file."""

    file: SkillFile
    definition: TypeDefinition

    def __str__(self) -> str:
        return f"{self.file.path}:{self.definition.line}-{self.definition.line_end}"


def find_equal_types(skill: Skill) -> tuple[tuple[TypePlace, ...], ...]:
    """Return groups of equal definitions of a type in several files: specs first, SKILL.md last."""
    places_by_key: dict[str, dict[str, TypePlace]] = defaultdict(dict)
    for place in find_type_places(skill):
        places_by_key[place.definition.key].setdefault(place.file.path, place)
    return tuple(tuple(places.values()) for places in places_by_key.values() if len(places) > 1)


def find_conflicting_types(skill: Skill) -> Iterator[tuple[TypePlace, TypePlace, str]]:
    """Yield (definition, first definition, field) for definitions of the same fields with different types."""
    first_places: dict[tuple[str, frozenset[str]], TypePlace] = {}
    for place in find_type_places(skill):
        definition = place.definition
        first = first_places.setdefault((definition.name, frozenset(definition.fields)), place)
        differing_fields = [
            name for name in definition.fields if definition.members[name] != first.definition.members[name]
        ]
        if differing_fields and place.file is not first.file:
            yield place, first, differing_fields[0]


@memoize
def find_type_places(skill: Skill) -> tuple[TypePlace, ...]:
    """Return the type definitions with at least MIN_FIELDS fields in workflow files: specs first, SKILL.md last."""
    files = sorted(
        (f for f in skill.instructions if f.role in _WORKFLOW_ROLES),
        key=lambda file: (_WORKFLOW_ROLES.index(file.role), file.path),
    )
    all_places = (
        TypePlace(file, definition)
        for file in files
        for code in file.codes
        for definition in find_type_definitions(code)
    )
    return tuple(place for place in all_places if len(place.definition.fields) >= MIN_FIELDS)
