"""Types that two files of a workflow define alike, token for token."""

from collections import defaultdict
from dataclasses import dataclass

from actions.code.types import TypeDefinition, type_definitions
from actions.skill.paths import Role
from actions.skill.skill import Skill, SkillFile

LEAST_FIELDS = 3
_WORKFLOW = (Role.MAIN, Role.PHASE, Role.SPEC)
"""References show samples, each of which must be whole."""


@dataclass(frozen=True)
class TypePlace:
    """A type definition and the file that holds it."""

    file: SkillFile
    definition: TypeDefinition

    def __str__(self) -> str:
        return f"{self.file.path}:{self.definition.line}-{self.definition.line_end}"


def equal_types(skill: Skill) -> tuple[tuple[TypePlace, ...], ...]:
    """Return the types of three fields or more that two or more files define alike: specs first, SKILL.md last."""
    found: dict[str, dict[str, TypePlace]] = defaultdict(dict)
    for file in sorted((f for f in skill.instructions if f.role in _WORKFLOW), key=_rank):
        for code in file.codes:
            for definition in type_definitions(code):
                if len(definition.fields) >= LEAST_FIELDS:
                    found[definition.key].setdefault(file.path, TypePlace(file, definition))
    return tuple(tuple(places.values()) for places in found.values() if len(places) > 1)


def _rank(file: SkillFile) -> tuple[int, str]:
    return (Role.SPEC, Role.PHASE, Role.MAIN).index(file.role), file.path
