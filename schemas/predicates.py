"""Compile schemas to predicates, which are about thirty times faster than a full validator.

True means that the value satisfies its schema. False means that the value may violate its schema, so that the caller
must validate it with jsonschema. If the schema has an unknown keyword, the result is always False.
"""

import re
from collections.abc import Callable, Mapping
from itertools import chain, repeat
from operator import itemgetter
from typing import Any

_RECORD_KEYWORDS = frozenset({"type", "properties", "required", "additionalProperties"})
_HASHABLE_TYPES = frozenset({str, int, bool, type(None)})
Check = Callable[[Any], bool]
Refer = Callable[[str], Check]
Schema = Mapping[str, Any] | bool

_TYPE_CHECKS: dict[str, Check] = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: type(v) is int,
    "number": lambda v: type(v) is int or type(v) is float,
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}
_EXACT_TYPES = ("object", "array", "string", "boolean", "null")
"""The types that `_TYPE_CHECKS` checks like jsonschema, for which 1.0 is also an integer."""
_IGNORED_KEYWORDS = {
    "$schema",
    "$id",
    "$defs",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "then",
    "else",
}


def compile_schema(schema: Schema, refer: Refer) -> Check:
    """Compile a schema to a predicate. `refer` returns the predicate of a `$ref`."""
    if isinstance(schema, bool):
        return lambda _: schema
    names = [name for name in schema if name not in _IGNORED_KEYWORDS]
    if _is_record(schema):
        rest = (_compile_keyword(name, schema, refer) for name in names if name not in _RECORD_KEYWORDS)
        return _combine_checks([_Record(schema, refer), *rest])
    pair = _compile_pair(schema, refer) if len(names) == 2 else None
    return pair or _combine_checks([_compile_keyword(name, schema, refer) for name in names])


def _compile_pair(schema: Mapping[str, Any], refer: Refer) -> Check | None:
    """Return a single predicate for a frequent pair of a type and a keyword, or None for any other pair."""
    match schema:
        case {"type": "string", "pattern": pattern}:
            search = re.compile(pattern).search
            return lambda v: isinstance(v, str) and search(v) is not None
        case {"type": "integer", "minimum": least}:
            return lambda v: type(v) is int and v >= least
        case {"type": ["integer", "null"], "minimum": least}:
            return lambda v: v is None or (type(v) is int and v >= least)
        case {"type": "string", "minLength": least}:
            return lambda v: isinstance(v, str) and len(v) >= least
        case {"type": "array", "items": rule}:
            return _List(compile_schema(rule, refer))
    return None


def _is_record(schema: Mapping[str, Any]) -> bool:
    return (
        schema.keys() >= _RECORD_KEYWORDS
        and schema["type"] in ("object", ["object", "null"])
        and schema["additionalProperties"] is False
        and set(schema["required"]) == schema["properties"].keys()
    )


class _Record:
    """The predicate of an object with exactly these properties, which checks many objects together by property.

    A scalar value that several objects share is checked once. Rules are compiled on first use, because schemas may
    refer to themselves.
    """

    def __init__(self, schema: Mapping[str, Any], refer: Refer) -> None:
        self._schema, self._refer, self._is_nullable = schema["properties"], refer, schema["type"] != "object"
        self._rules: list[tuple[str, Check]] = []

    def __call__(self, value: Any) -> bool:
        return self.accepts_all([value])

    def accepts_all(self, values: list[Any]) -> bool:
        if self._is_nullable:
            values = [value for value in values if value is not None]
        if not all(map(isinstance, values, repeat(dict))) or not set(map(len, values)) <= {len(self._schema)}:
            return False
        if not self._rules:
            self._rules = [(name, compile_schema(rule, self._refer)) for name, rule in self._schema.items()]
        try:
            return all(_check_values(check, list(map(itemgetter(name), values))) for name, check in self._rules)
        except KeyError:
            return False


class _List:
    """The predicate of a list, which checks the items of many lists together."""

    def __init__(self, item: Check) -> None:
        self._item = item

    def __call__(self, value: Any) -> bool:
        return isinstance(value, list) and _check_values(self._item, value)

    def accepts_all(self, values: list[Any]) -> bool:
        return all(map(isinstance, values, repeat(list))) and _check_values(
            self._item, list(chain.from_iterable(values))
        )


def _check_values(check: Check, values: list[Any]) -> bool:
    if isinstance(check, (_Record, _List)):
        return not values or check.accepts_all(values)
    kinds = set(map(type, values))
    if check is _TYPE_CHECKS["string"] and kinds == {str}:
        return True
    distinct = set(values) if kinds <= _HASHABLE_TYPES and not kinds >= {bool, int} else values  # True is 1 in a set
    return all(map(check, distinct))


def _combine_checks(checks: list[Check]) -> Check:
    if len(checks) == 1:
        return checks[0]
    if len(checks) == 2:
        first, second = checks
        return lambda value: first(value) and second(value)

    def check(value: Any) -> bool:
        for predicate in checks:  # noqa: SIM110 - all() with a generator costs twice as much
            if not predicate(value):
                return False
        return True

    return check


def _compile_keyword(name: str, schema: Mapping[str, Any], refer: Refer) -> Check:
    """Compile one keyword to a predicate. As in JSON Schema, values of other types pass."""
    limit = schema[name]
    match name:
        case "$ref":
            return refer(limit)
        case "type":
            return _compile_type(limit)
        case "enum" | "const":
            return _compile_enum(limit if name == "enum" else [limit])
        case "properties":
            return _compile_properties(
                {key: compile_schema(sub, refer) for key, sub in limit.items() if sub is not True}
            )
        case "required":
            names = frozenset(limit)
            return lambda v: not isinstance(v, dict) or v.keys() >= names
        case "additionalProperties":
            return _compile_additional(frozenset(schema.get("properties", ())), compile_schema(limit, refer))
        case "items":
            item = compile_schema(limit, refer)
            return lambda v: not isinstance(v, list) or _check_values(item, v)
        case "allOf":
            return _combine_checks([compile_schema(sub, refer) for sub in limit])
        case "anyOf":
            checks = [compile_schema(sub, refer) for sub in limit]
            return lambda v: any(check(v) for check in checks)
        case "if":
            return _compile_condition(
                limit, *(compile_schema(schema.get(key, True), refer) for key in ("if", "then", "else"))
            )
        case _:
            return _compile_limit(name, limit)


def _compile_limit(name: str, limit: Any) -> Check:
    match name:
        case "minimum":
            return lambda v: not isinstance(v, (int, float)) or v >= limit
        case "maximum":
            return lambda v: not isinstance(v, (int, float)) or v <= limit
        case "minLength":
            return lambda v: not isinstance(v, str) or len(v) >= limit
        case "maxLength":
            return lambda v: not isinstance(v, str) or len(v) <= limit
        case "minItems" | "minProperties":
            kind = list if name == "minItems" else dict
            return lambda v: not isinstance(v, kind) or len(v) >= limit
        case "maxItems" | "maxProperties":
            kind = list if name == "maxItems" else dict
            return lambda v: not isinstance(v, kind) or len(v) <= limit
        case "pattern":
            search = re.compile(limit).search
            return lambda v: not isinstance(v, str) or search(v) is not None
        case _:
            return lambda _: False


def _compile_type(names: str | list[str]) -> Check:
    checks = [_TYPE_CHECKS[name] for name in ([names] if isinstance(names, str) else names)]
    if len(checks) == 2:
        first, second = checks
        return (lambda v: v is None or first(v)) if names[1] == "null" else lambda v: first(v) or second(v)
    return checks[0] if len(checks) == 1 else lambda v: any(check(v) for check in checks)


def _compile_enum(values: list[Any]) -> Check:
    texts = frozenset(v for v in values if isinstance(v, str))
    others = [v for v in values if not isinstance(v, str)]
    if not others:
        return lambda v: isinstance(v, str) and v in texts
    return lambda v: v in texts if isinstance(v, str) else any(type(v) is type(o) and v == o for o in others)


def _compile_properties(checks: Mapping[str, Check]) -> Check:
    def check(value: Any) -> bool:
        if isinstance(value, dict):
            for key, predicate in checks.items():
                if key in value and not predicate(value[key]):
                    return False
        return True

    return check


def _compile_additional(known: frozenset[str], extra: Check) -> Check:
    def check(value: Any) -> bool:
        return not isinstance(value, dict) or all(extra(value[key]) for key in value.keys() - known)

    return check


def _compile_condition(rule: Schema, condition: Check, then: Check, otherwise: Check) -> Check:
    if not _is_exact(rule):
        return lambda _: False
    return lambda v: then(v) if condition(v) else otherwise(v)


def _is_exact(schema: Schema) -> bool:
    """Return whether a False predicate proves a violation, because the schema has only types and comparisons."""
    if isinstance(schema, bool):
        return True
    rules = [rule for sub in schema.get("properties", {}).values() for rule in sub.items()]
    rules += [(name, value) for name, value in schema.items() if name == "type"]
    return schema.keys() <= {"type", "properties", "required"} and all(_is_exact_rule(*rule) for rule in rules)


def _is_exact_rule(name: str, value: Any) -> bool:
    match name:
        case "type":
            return value in _EXACT_TYPES
        case "const" | "enum":
            return all(isinstance(word, str) for word in ([value] if name == "const" else value))
    return False
