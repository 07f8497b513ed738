"""Convert frozen records to JSON values and back, based on their type hints."""

from _thread import allocate_lock  # `threading` would cost every command a millisecond
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_ALONE, _known = allocate_lock(), set[Any]()
"""The first conversion of each class is locked, because msgspec 0.22 crashes if two threads convert a new class."""


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
        if cls in _known:
            return msgspec.convert(data, cls)
        with _ALONE:
            built = msgspec.convert(data, cls)
            _known.add(cls)
            return built
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
