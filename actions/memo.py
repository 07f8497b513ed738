"""Memoize functions of frozen records: a file, a skill, a piece of code."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801 - named like the class of the standard library that it replaces
        """Compute an attribute on first use, like `functools.cached_property`, but without its lock before Python 3.12.

        The lock takes a microsecond each time. Without it, two threads may compute the same value twice.
        """

        def __init__(self, compute: Callable[[Any], Any]) -> None:
            self._compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self._name] = self._compute(instance)
            return value


class HasMemo(Protocol):
    """A frozen record that stores the results of memoized functions."""

    @property
    def memo(self) -> dict[str, Any]:
        """Maps names of memoized functions to their results."""


S = TypeVar("S", bound=HasMemo)


def memoize(reader: Callable[[S], T]) -> Callable[[S], T]:
    """Memoize a pure function of one record. The callers of the function must not change the result."""
    key = f"{reader.__module__}.{reader.__qualname__}"

    @wraps(reader)
    def read(subject: S) -> T:
        memo = subject.memo
        if key not in memo:
            memo[key] = reader(subject)
        result: T = memo[key]
        return result

    return read


def compute_once(subject: HasMemo, key: str, compute: Callable[[], T]) -> T:
    """Return the result of `compute`, which is called only once for each subject and key."""
    if key not in subject.memo:
        subject.memo[key] = compute()
    result: T = subject.memo[key]
    return result


def memoize_all(reader: Callable[[S], Iterator[T]]) -> Callable[[S], tuple[T, ...]]:
    """Turn a pure generator of one record into a memoized function that returns a tuple."""

    @wraps(reader)
    def read_all(subject: S) -> tuple[T, ...]:
        return tuple(reader(subject))

    return memoize(read_all)
