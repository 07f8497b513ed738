"""Validate the data that the project reads and writes against JSON schemas."""

import json
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from reprlib import Repr
from typing import TYPE_CHECKING, Any

from schemas.predicates import Check, compile_schema

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError
    from referencing import Registry

_FOLDER = Path(__file__).parent
_SUFFIX = ".schema.json"
_ROOT_RULES = "root rules"
_ANNOTATIONS = ("$schema", "$id", "title", "description")
_TYPE_NAMES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_SHORT_REPR = Repr()
_SHORT_REPR.maxstring = _SHORT_REPR.maxother = 80


class Invalid(ValueError):  # noqa: N818 - read as `schemas.Invalid`
    """A value that violates its schema. `pointer` is a JSON pointer to the value, and `problem` is the reason."""

    def __init__(self, pointer: str, problem: str) -> None:
        self.pointer, self.problem = pointer, problem
        super().__init__(f"{pointer or 'the whole value'}: {problem}")


@cache
def load(name: str) -> dict[str, Any]:
    """Return the schema `<name>.schema.json`. Callers share the object and must not change it."""
    schema: dict[str, Any] = json.loads((_FOLDER / (name + _SUFFIX)).read_bytes())
    return schema


def load_answer_schema(name: str) -> dict[str, Any]:
    """Return the schema `answer_<name>` for answers of a model, without its annotations."""
    return {key: part for key, part in load(f"answer_{name}").items() if key not in _ANNOTATIONS}


def find_violation(schema: Mapping[str, Any], value: Any) -> str:
    """Describe how a value violates a schema, or return "" if it is valid."""
    from jsonschema import Draft202012Validator

    error = next(Draft202012Validator(schema).iter_errors(value), None)
    return f"the answer violates its schema: {_explain(error)}" if error else ""


def check(name: str, value: Any) -> None:
    """Raise Invalid if `value` violates the schema `name`."""
    _raise_if_invalid(name, "", value)


def check_changed(name: str, new: Mapping[str, Any], changed: Iterable[str]) -> None:
    """Check the properties `changed` of the object `new`, and the rules between properties.

    The other properties must have been checked before. Raises Invalid.
    """
    _raise_if_invalid(name, _ROOT_RULES, new)
    for key in changed:
        _raise_if_invalid(name, f"/properties/{_escape(key)}", new[key], f"/{_escape(key)}")


def _raise_if_invalid(name: str, part: str, value: Any, where: str = "") -> None:
    if _compile_predicate(name, part)(value):
        return
    for error in _build_validator(name, part).iter_errors(value):
        raise _explain(error, where)


@cache
def _compile_predicate(name: str, part: str) -> Check:
    def refer(ref: str) -> Check:
        file, _, pointer = ref.partition("#")
        return _compile_predicate(file.removesuffix(_SUFFIX) or name, pointer)

    return compile_schema(_get_part(name, part), refer)


@cache
def _build_validator(name: str, part: str) -> "Draft202012Validator":
    from jsonschema import Draft202012Validator

    schema = _get_part(name, part) if part == _ROOT_RULES else {"$ref": f"{name}{_SUFFIX}#{part}"}
    return Draft202012Validator(schema, registry=_build_registry())


@cache
def _build_registry() -> "Registry[Any]":
    from referencing import Registry, Resource

    names = (f.name.removesuffix(_SUFFIX) for f in _FOLDER.iterdir() if f.name.endswith(_SUFFIX))
    schemas = ((name + _SUFFIX, Resource.from_contents(load(name))) for name in names)
    return Registry[Any]().with_resources(schemas).crawl()


def _get_part(name: str, part: str) -> Any:
    schema: Any = load(name)
    if part == _ROOT_RULES:
        return {**schema, "properties": dict.fromkeys(schema["properties"], True)}
    for step in part.split("/")[1:]:
        schema = schema[step.replace("~1", "/").replace("~0", "~")]
    return schema


def _explain(error: "ValidationError", where: str = "") -> Invalid:
    pointer = where + "".join(f"/{_escape(str(step))}" for step in error.absolute_path)
    value = _SHORT_REPR.repr(error.instance.value if isinstance(error.instance, Enum) else error.instance)
    problem = _describe(error, value) or error.message.replace(repr(error.instance), value, 1)
    return Invalid(pointer, problem[:300] if value in problem else f"{problem[:300]}: {value}")


def _describe(error: "ValidationError", value: str) -> str:
    """Describe a `type` or `enum` error, or return "" for any other error."""
    expected: Any = error.validator_value
    if error.validator == "enum":
        return f"{value} is not one of {', '.join(map(str, expected))}"
    types = expected if isinstance(expected, list) else [expected]
    if error.validator != "type":
        return ""
    is_single_item = (
        types == ["array"] and isinstance(error.instance, str) and len(error.instance) <= _SHORT_REPR.maxstring
    )
    hint = f"; write {json.dumps([error.instance])}" if is_single_item else ""
    return f"{value} is not {' or '.join(_TYPE_NAMES[type] for type in types)}{hint}"


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
