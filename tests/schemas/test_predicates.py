"""Test that the fast predicate never accepts a value that jsonschema rejects."""

import copy
import random
from contextlib import suppress
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import schemas
from schemas.codec import to_json
from schemas.predicates import compile_schema
from schemas.vocabulary import Phase, Severity
from tests.schemas.samples import make_rich_state

JUNK = (
    *(None, True, False, 0, 1, -1, 1.0, 0.5, 4096, float("nan"), Severity.HIGH, Phase.RUNNING),
    *(
        "",
        "high",
        "running",
        "ISS-1",
        "ISS-001\n",
        "x" * 70,
        [],
        {},
        [1],
        [None, "a"],
        {"a": 1},
        {"a": 1.0},
        {"a": "x", "b": 2},
    ),
)
RULES = {"a": {"type": "string"}, "b": {"type": "integer", "minimum": 1}}
SCHEMAS = (
    *({"type": name} for name in ("object", "array", "string", "integer", "number", "boolean", "null")),
    *({"type": ["string", "null"], "minLength": 1}, {"type": ["array", "null"], "items": {"type": "integer"}}),
    *(
        {"enum": ["high", None]},
        {"enum": ["a", 1]},
        {"enum": [0, []]},
        {"const": 1},
        {"const": "running"},
        {"const": True},
    ),
    *({"minimum": 1}, {"maximum": 0}, {"minLength": 2}, {"maxLength": 3}, {"maxItems": 0}, {"pattern": "^ISS-[0-9]+$"}),
    *({"required": ["a"]}, {"additionalProperties": False}, {"additionalProperties": {"type": "integer"}}),
    {"properties": {"a": {"type": "string"}, "b": True}, "additionalProperties": False},
    {"properties": {"a": False}},
    *(
        {"type": kind, "properties": RULES, "required": ["b", "a"], "additionalProperties": False, **more}
        for kind in ("object", ["object", "null"], ["object", "array"])
        for more in (
            {},
            {"required": ["a"]},
            {"additionalProperties": True},
            {"maxLength": 1},
            {"not": {"type": "null"}},
        )
    ),
    {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    *({"type": "string", "pattern": "^ISS-[0-9]+$"}, {"type": "integer", "minimum": 1}),
    *({"type": ["integer", "null"], "minimum": 1}, {"type": "array", "items": {"type": ["string", "null"]}}),
    {"patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": False},
    {"prefixItems": [{"type": "string"}], "items": {"type": "integer"}},
    {"allOf": [{"type": "string"}, {"maxLength": 4}]},
    {"anyOf": [{"type": "string", "maxLength": 4}, {"type": "integer", "minimum": 1}, {"maxItems": 0}]},
    *({"minItems": 1}, {"minProperties": 1}, {"maxProperties": 0}),
    {"if": {"properties": {"a": {"const": "x"}}}, "then": {"required": ["b"]}, "else": False},
    {"if": {"type": "string"}, "then": {"minLength": 1}},
    {"if": {"properties": {"a": {"const": 1}}}, "then": False},
    {"if": {"properties": {"a": {"type": "string"}}}, "then": {"required": ["b"]}},
    *({"if": {"type": kind}, "then": False, "else": {"minimum": 1}} for kind in ("integer", "number", "array")),
    *(
        {"$comment": "anything"},
        {"uniqueItems": True},
        {"not": {"type": "string"}},
        {"oneOf": [{"type": "null"}]},
        True,
        False,
    ),
)


def refuse_reference(ref):
    raise AssertionError(ref)


def test_every_schema_compiles_to_a_predicate():
    for file in Path(schemas.__file__).parent.glob("*.schema.json"):
        with suppress(schemas.Invalid):
            schemas.check(file.name.removesuffix(".schema.json"), {})


def test_predicate_of_a_recursive_schema_is_certain():
    rules = {"in": {"$ref": "#"}, "a": {"type": "string"}}
    schema = {"type": ["object", "null"], "properties": rules, "required": ["a", "in"], "additionalProperties": False}

    def refer(ref):
        return compile_schema(schema, refer)

    certain = compile_schema(schema, refer)
    assert certain({"a": "x", "in": {"a": "y", "in": None}})
    assert not certain({"a": "x", "in": {"a": 1, "in": None}})
    assert not certain({"a": "x", "in": None, "more": 1})


def test_predicate_of_alternatives_is_certain():
    certain = compile_schema(
        {"anyOf": [{"type": "null"}, {"type": "array", "minItems": 1}, {"type": "object", "maxProperties": 1}]},
        refuse_reference,
    )
    assert [value for value in (None, [1], {}, {"a": 1}, [], {"a": 1, "b": 2}, "a") if certain(value)] == [
        *(None, [1], {}, {"a": 1})
    ]


def test_predicate_of_a_condition_on_types_is_certain():
    certain = compile_schema(
        {"if": {"type": "array"}, "then": {"maxItems": 0}, "else": {"if": {"properties": {"a": {"type": "object"}}}, "then": False}},
        refuse_reference,
    )  # fmt: skip
    assert [value for value in ([], [1], {"a": 1}, {"a": {}}, 1) if certain(value)] == [[], {"a": 1}]


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_predicate_accepts_only_what_jsonschema_accepts(schema):
    certain, oracle = compile_schema(schema, refuse_reference), Draft202012Validator(schema)
    assert [value for value in JUNK if certain(value) and not oracle.is_valid(value)] == []


@pytest.mark.parametrize("word", ["oneOf", "not", "uniqueItems", "patternProperties", "format"])
def test_predicate_with_an_unknown_keyword_is_never_certain(word):
    assert not any(compile_schema({word: {}}, refuse_reference)(value) for value in JUNK)


def list_paths(value, path=()):
    """Yield the path of each value in a JSON value."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from list_paths(item, (*path, key))


def corrupt(value, chance):
    """Return a copy in which one value is replaced or removed, or an object gets an unknown key."""
    holder = copied = copy.deepcopy(value)
    *parents, key = chance.choice([path for path in list_paths(value) if path])
    for step in parents:
        holder = holder[step]
    match chance.choice(("replace", "remove", "add")):
        case "remove":
            del holder[key]
        case "add" if isinstance(holder, dict):
            holder["unknown"] = 1
        case _:
            holder[key] = chance.choice(JUNK)
    return copied


def is_accepted(value):
    try:
        schemas.check("state", value)
    except schemas.Invalid:
        return False
    return True


def test_check_agrees_with_jsonschema_on_corrupted_states():
    names = ("common", "diagnosis", "fix", "issue", "requirements", "state")
    known = ((f"{name}.schema.json", Resource.from_contents(schemas.load(name))) for name in names)
    oracle = Draft202012Validator(schemas.load("state"), registry=Registry().with_resources(known))
    good, chance = to_json(make_rich_state()), random.Random(20260301)
    states = [corrupt(good, chance) for _ in range(150)]
    verdicts = [oracle.is_valid(state) for state in states]
    assert [is_accepted(state) for state in states] == verdicts
    assert 10 < sum(verdicts) < 140, "both verdicts must occur"
