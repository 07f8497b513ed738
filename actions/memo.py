"""Readers that remember: what they work out of a file, a skill or a code is worked out once."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Protocol, TypeVar, cast

T = TypeVar("T")


class HasMemo(Protocol):
    """Something frozen; its memo goes with it."""

    @property
    def memo(self) -> dict[str, object]:
        """What readers worked out, by their names."""


S = TypeVar("S", bound=HasMemo)


def memoize(reader: Callable[[S], T]) -> Callable[[S], T]:
    """Return a pure reader that works only once for each subject. Callers must not change its result."""
    key = f"{reader.__module__}.{reader.__qualname__}"

    @wraps(reader)
    def read(subject: S) -> T:
        memo = subject.memo
        if key not in memo:
            memo[key] = reader(subject)
        return cast(T, memo[key])

    return read


def memoize_all(reader: Callable[[S], Iterator[T]]) -> Callable[[S], tuple[T, ...]]:
    """Return a pure reader that yields several things as one that gives them all and works only once."""

    @wraps(reader)
    def whole(subject: S) -> tuple[T, ...]:
        return tuple(reader(subject))

    return memoize(whole)
