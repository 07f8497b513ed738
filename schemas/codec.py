"""Convert frozen records to JSON values and back, based on their type hints."""

from _thread import allocate_lock  # importing `threading` takes a millisecond
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_LOCK, _converted = allocate_lock(), set[Any]()
"""A lock for the first conversion of each class, because msgspec 0.22 crashes if two threads convert a new class."""


def to_json(value: Any) -> Any:
    """Convert records, tuples, mappings, enums and scalars to plain JSON values."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (tuple, list)):
        return [to_json(item) for item in value]
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    return {name: to_json(getattr(value, name)) for name in value.__struct_fields__}


def from_json(cls: type[T], data: Any) -> T:
    """Build a `cls` from JSON values that satisfy its schema. Unknown keys are ignored.

    Raises ValueError for a missing field without a default, a value of another type or an unknown enum value.
    """
    try:
        if cls in _converted:
            return msgspec.convert(data, cls)
        with _LOCK:
            record = msgspec.convert(data, cls)
            _converted.add(cls)
            return record
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
