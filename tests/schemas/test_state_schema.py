"""Test that the state's schema and its records agree."""

import json
import types
from collections.abc import Mapping
from enum import StrEnum
from importlib.resources import files
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from jsonschema import Draft202012Validator

import schemas
from schemas import vocabulary
from schemas.codec import from_json, to_json
from schemas.records import State
from schemas.vocabulary import Phase
from tests.schemas.samples import make_rich_state

NAMES = ("common", "diagnosis", "fix", "issue", "requirements", "state")
JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def resolve(schema: dict, name: str) -> tuple[dict, str]:
    """Resolve references; return the schema and the name of its file."""
    while "$ref" in schema:
        file, _, pointer = schema["$ref"].partition("#")
        name = file.removesuffix(".schema.json") or name
        schema = schemas.load(name)
        for step in pointer.split("/")[1:]:
            schema = schema[step]
    return schema, name


def list_differences(hint: Any, schema: dict, name: str, where: str) -> list[str]:
    """Return the places where a schema and the type hint of a record differ."""
    schema, name = resolve(schema, name)
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    (kind,) = (option for option in options if option is not types.NoneType)
    found = [] if allows_null(schema) == (types.NoneType in options) else [f"{where}: null"]
    if get_origin(kind) is tuple:
        return found + list_differences(get_args(kind)[0], schema["items"], name, where + "/*")
    if isinstance(get_origin(kind), type) and issubclass(get_origin(kind), Mapping):
        return found + list_differences(get_args(kind)[1], schema["additionalProperties"], name, where + "/*")
    if issubclass(kind, msgspec.Struct):
        return found + list_record_differences(kind, schema, name, where)
    if issubclass(kind, StrEnum):
        return found + ([] if set(schema["enum"]) - {None} == set(kind) else [f"{where}: {schema['enum']}"])
    return found + ([] if get_plain_type(schema) == JSON_TYPES[kind] else [f"{where}: {kind} {schema}"])


NEWER_FIELDS = {"locations", "looked_up", "from_knowledge", "explains_complaint"}
"""Fields that are missing in states of earlier versions."""


def list_record_differences(record: type, schema: dict, name: str, where: str) -> list[str]:
    hints = get_type_hints(record)
    fields = list(record.__struct_fields__)
    required = [field for field in fields if field not in NEWER_FIELDS]
    if (fields, required) != (list(schema["properties"]), schema["required"]):
        return [f"{where}: {fields} {list(schema['properties'])} {schema['required']}"]
    parts = (list_differences(hints[f], schema["properties"][f], name, f"{where}/{f}") for f in fields)
    return [difference for part in parts for difference in part]


def allows_null(schema: dict) -> bool:
    return None in schema.get("enum", ()) or "null" in schema.get("type", ())


def get_plain_type(schema: dict) -> str:
    if "const" in schema:
        return JSON_TYPES[type(schema["const"])]
    if "enum" in schema:
        return "string"
    names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    return next(name for name in names if name != "null")


def list_objects(schema: Any) -> list[dict]:
    """Return each subschema that lists properties of an object."""
    if isinstance(schema, list):
        return [found for item in schema for found in list_objects(item)]
    if not isinstance(schema, dict):
        return []
    inner = [found for key, item in schema.items() if key != "allOf" for found in list_objects(item)]
    return inner + ([schema] if "properties" in schema and "type" in schema else [])


def test_schema_and_records_have_the_same_fields_and_types():
    assert list_differences(State, {"$ref": "state.schema.json"}, "state", "") == []


def test_comparison_of_schema_and_records_finds_a_difference():
    """Otherwise the comparison above would prove nothing."""
    schema = {**schemas.load("state"), "required": ["run_id"]}
    assert list_differences(State, schema, "state", "") != []


@pytest.mark.parametrize(
    ("place", "enum"),
    [
        ("common#/$defs/severity", vocabulary.Severity),
        ("common#/$defs/grade", vocabulary.Grade),
        ("common#/$defs/risk", vocabulary.Risk),
        ("common#/$defs/gate", vocabulary.Gate),
        ("issue#/$defs/family", vocabulary.Family),
        ("issue#/properties/status", vocabulary.IssueStatus),
        ("fix#/properties/status", vocabulary.FixStatus),
        ("fix#/$defs/applied_fix/properties/verification_result", vocabulary.Verification),
        ("state#/properties/phase", vocabulary.Phase),
        ("state#/properties/status", vocabulary.Status),
    ],
)
def test_schema_enums_equal_those_of_the_vocabulary(place, enum):
    schema, _ = resolve({"$ref": place.replace("#", ".schema.json#")}, "")
    assert schema["enum"] == [word.value for word in enum]


@pytest.mark.parametrize("name", NAMES)
def test_schema_is_valid_draft_2020_12(name):
    Draft202012Validator.check_schema(schemas.load(name))


@pytest.mark.parametrize("name", NAMES)
def test_schema_has_no_repeated_key(name):
    def build_object(pairs):
        assert len(dict(pairs)) == len(pairs), [key for key, _ in pairs]
        return dict(pairs)

    text = files("schemas").joinpath(f"{name}.schema.json").read_bytes()
    assert json.loads(text, object_pairs_hook=build_object) == schemas.load(name)


@pytest.mark.parametrize("name", NAMES)
def test_schema_objects_forbid_unknown_properties(name):
    assert [o for o in list_objects(schemas.load(name)) if o.get("additionalProperties") is not False] == []


@pytest.mark.parametrize("state", [State(), make_rich_state()], ids=["initial", "rich"])
def test_state_survives_a_round_trip_through_json(state):
    values = to_json(state)
    schemas.check("state", values)
    assert from_json(State, values) == state


def test_rich_state_leaves_no_field_at_its_default():
    """Otherwise the round trip above would prove little."""
    rich, plain = make_rich_state(), State()
    same = [name for name in State.__struct_fields__ if getattr(rich, name) == getattr(plain, name)]
    assert same == ["schema_version"]


@pytest.mark.parametrize("phase", Phase)
def test_phase_is_valid_only_with_its_status(phase):
    values = to_json(State(phase=phase, status=phase.status))
    schemas.check("state", values)
    for other in set(vocabulary.Status) - {phase.status}:
        with pytest.raises(schemas.Invalid, match=r"^/status: "):
            schemas.check("state", {**values, "status": other})


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01T09:30:00Z",
        "2026-03-01T09:30:00.000+00:00",
        "2026-03-01 09:30:00.000Z",
        "2026-03-01T09:30:00.000Z\n",
        "2026-03-01T09:30:00.000000Z",
        "٢٠٢٦-03-01T09:30:00.000Z",
        "",
    ],
)
def test_timestamp_must_be_utc_iso_8601_with_milliseconds(text):
    with pytest.raises(schemas.Invalid, match=r"^/updated_at: "):
        schemas.check("state", to_json(State(updated_at=text)))
