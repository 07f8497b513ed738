"""Find the state that a skill keeps: its state file, the fields, and their allowed values."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from actions.code.calls import read_object
from actions.code.fields import FieldUse, find_declared_values, find_field_uses
from actions.code.names import find_assignments
from actions.code.tree import Code
from actions.code.types import find_type_definitions
from actions.grouping import group_by_key
from actions.json_text import load_json
from actions.memo import memoize
from actions.regex import regex
from actions.skill.paths import Role
from actions.skill.skill import Skill, SkillFile
from actions.skill.text import split_sentences

_STATE_FILE = regex(r"state[\w-]*\.(?:json|ya?ml|toml)\b")
_STATE_NAME = regex(r"state|STATE|(?:\w+_)?[Ss]tate|\w*_STATE|\w+State")
_MAX_DEPTH = 12


class DeclaredField(msgspec.Struct, frozen=True):
    """The allowed values of a field, and the file and line that declare them."""

    field: str
    values: frozenset[str]
    file: str
    line: int


class StateUse(msgspec.Struct, frozen=True):
    """A use of a state field, with its file."""

    path: str
    use: FieldUse

    @property
    def place(self) -> tuple[str, int]:
        """The file and the line."""
        return self.path, self.use.line

    @property
    def tested_value(self) -> str | None:
        """The literal that the field is compared with, or None if the field is set."""
        return None if self.use.is_set else self.use.value


class Shape(msgspec.Struct, frozen=True):
    """The top-level fields of the skill's state in one literal, type or JSON sample."""

    file: str
    line: int
    line_end: int
    fields: tuple[str, ...]


@memoize
def mentions_state_file(skill: Skill) -> bool:
    """Return whether a skill mentions a state file such as `state.json`.

    If it does, a variable `state` in code means the content of this file.
    """
    return any("state" in file.lower and _STATE_FILE.search(file.lower) for file in skill.sources)


@memoize
def map_state_uses(skill: Skill) -> Mapping[str, Sequence[StateUse]]:
    """Map field names to their uses in the skill's code, such as `state.name`."""
    codes = ((file, code) for file in skill.sources for code in file.codes)
    return group_by_key((use.name, StateUse(file.path, use)) for file, code in codes for use in find_field_uses(code))


@memoize
def map_declared_fields(skill: Skill) -> Mapping[str, tuple[DeclaredField, ...]]:
    """Map fields to the declarations of their allowed values: literal types, and `enum` in JSON schemas."""
    declarations: dict[str, tuple[DeclaredField, ...]] = {}
    for file in skill.files:
        for declaration in _find_declarations(file):
            declarations[declaration.field] = (*declarations.get(declaration.field, ()), declaration)
    return declarations


def _find_declarations(file: SkillFile) -> Iterator[DeclaredField]:
    for code in file.codes:
        yield from (DeclaredField(field, values, file.path, line) for field, values, line in find_declared_values(code))
    for data, line in read_json_texts(file):
        yield from (DeclaredField(field, values, file.path, line) for field, values in _list_enums(data, _MAX_DEPTH))


@memoize
def read_json_texts(file: SkillFile) -> tuple[tuple[object, int], ...]:
    """Return the JSON values in a file or its fences, each with its first line. Invalid JSON is skipped."""
    if file.path.endswith(".json"):
        texts = [(file.text, 1)]
    else:
        fences = file.doc.fences if file.is_markdown else ()
        texts = [
            ("\n".join(file.doc.lines_inside(fence)), fence.start + 1)
            for fence in fences
            if fence.lang.lower() in ("json", "jsonc")
        ]
    return tuple((data, line) for text, line in texts if (data := _parse_json(text)) is not None)


def _parse_json(text: str) -> object:
    try:
        return load_json(text)
    except (ValueError, RecursionError):
        return None


def _list_enums(data: object, depth: int) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield (field, values) for each field with an `enum` in a JSON schema, down to `depth` nested levels."""
    if depth and isinstance(data, dict):
        properties = data.get("properties")
        for field, schema in properties.items() if isinstance(properties, dict) else ():
            values = schema.get("enum") if isinstance(schema, dict) else None
            if isinstance(values, list) and values and all(isinstance(value, str) for value in values):
                yield field, frozenset(values)
        for value in data.values():
            yield from _list_enums(value, depth - 1)


@memoize
def find_state_shapes(skill: Skill) -> tuple[Shape, ...]:
    """Return each literal, type and JSON sample of the state, if the skill mentions a state file."""
    return tuple(shape for file in skill.files for shape in _list_shapes(file)) if mentions_state_file(skill) else ()


def _list_shapes(file: SkillFile) -> Iterator[Shape]:
    if file.role is Role.UNRELATED or not (file.is_instruction or file.path.endswith(".json")):
        return
    for code in file.codes:
        definitions = (
            definition for definition in find_type_definitions(code) if _STATE_NAME.fullmatch(definition.name)
        )
        yield from (
            Shape(file.path, definition.line, definition.line_end, definition.fields) for definition in definitions
        )
        yield from _list_literal_shapes(file, code)
    for data, line in read_json_texts(file):
        lines_above = (
            text for number in range(line - 2, max(line - 6, 0), -1) if (text := file.doc.line(number).strip())
        )
        if isinstance(data, dict) and _STATE_FILE.search(split_sentences(next(lines_above, file.path))[-1].lower()):
            fields = data.get("properties") if "$schema" in data or data.get("type") == "object" else data
            fence = file.doc.fence_at(line)
            yield Shape(
                file.path, line, fence.end if fence else line, tuple(fields) if isinstance(fields, dict) else ()
            )


def _list_literal_shapes(file: SkillFile, code: Code) -> Iterator[Shape]:
    for assignment in find_assignments(code) if "state" in code.text.lower() else ():
        declares = assignment.node.type != "assignment_expression" and _STATE_NAME.fullmatch(assignment.name)
        if declares and assignment.is_object and assignment.value is not None:
            keys = tuple(read_object(code, assignment.value))
            yield Shape(file.path, code.line(assignment.node), code.line_end(assignment.node), keys)
