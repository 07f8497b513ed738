"""Frozen records to JSON values and back, by their type hints alone."""

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
Reader = Callable[[Any], Any]


@cache
def _names(cls: type) -> tuple[str, ...]:
    return tuple(f.name for f in fields(cls))


def to_json(value: Any) -> Any:
    """Give `value` (records, tuples, mappings, enums, scalars) as plain JSON values."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (tuple, list)):
        return [to_json(item) for item in value]
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    kind: Any = type(value)
    return {name: to_json(getattr(value, name)) for name in _names(kind)}


def from_json(cls: type[T], data: Any) -> T:
    """Build a `cls` from JSON values that its schema has already accepted; unknown keys are ignored.

    Raises KeyError for a missing field without a default, ValueError for an unknown enum value.
    """
    kind: Any = cls
    made: T = _reader(kind)(data)
    return made


@cache
def _reader(hint: Any) -> Reader:
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        inner = _reader(next(a for a in args if a is not type(None)))
        return lambda v: None if v is None else inner(v)
    if origin is tuple:
        item = _reader(args[0])
        return lambda v: tuple(item(x) for x in v)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return dict
    if is_dataclass(hint):
        return _record_reader(hint)
    if isinstance(hint, type) and issubclass(hint, (StrEnum, float)):
        return hint
    return lambda v: v


def _record_reader(cls: Any) -> Reader:
    hints = get_type_hints(cls)
    parts = [
        (f.name, _reader(hints[f.name]), f.default is MISSING and f.default_factory is MISSING) for f in fields(cls)
    ]

    def read(data: Mapping[str, Any]) -> Any:
        return cls(**{n: r(data[n]) for n, r, required in parts if required or n in data})

    return read
