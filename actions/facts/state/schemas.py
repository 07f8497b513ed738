"""The fields that a JSON schema of the state declares."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.state.idle import is_passing
from actions.facts.state.json_schemas import properties_of
from actions.skill.skill import Skill, SkillFile

_SCHEMA = re.compile(
    r"(?:state|record|progress|session|run)[\w.-]*schema\.json$|schema[\w.-]*(?:state|record|progress)\.json$",
    re.IGNORECASE,
)
_LONGEST = 200_000


@dataclass(frozen=True)
class SchemaField:
    """A property at the top of a schema, where it is declared."""

    name: str
    file: str
    line: int


def state_schemas(skill: Skill) -> Iterator[SkillFile]:
    """Give the files that are a JSON schema of a state by their names."""
    return (file for file in skill.files if _SCHEMA.search(file.path) and len(file.text) < _LONGEST)


def schema_fields(skill: Skill) -> Iterator[tuple[SchemaField, ...]]:
    """Give the fields of each schema of a state; a file that is no JSON object has none."""
    for file in state_schemas(skill):
        yield tuple(SchemaField(name, file.path, _line_of(file, name)) for name in properties_of(file.text))


def schema_leftovers(skill: Skill) -> Iterator[SchemaField]:
    """Give the debug, cache and scratch fields that only the schema names."""
    for fields in schema_fields(skill):
        for field in fields:
            if is_passing(field.name) and not any(
                field.name in file.text for file in skill.files if file.path != field.file
            ):
                yield field


def _line_of(file: SkillFile, name: str) -> int:
    mark = f'"{name}"'
    return next((n for n, line in enumerate(file.doc.lines, 1) if mark in line and ":" in line.split(mark)[1]), 1)
