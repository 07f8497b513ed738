"""Find the known name that an unknown name misspells."""

from collections.abc import Iterable
from functools import lru_cache

_MIN_LETTERS = 4
"""Minimum number of letters of a name for which one changed letter is a misspelling. Shorter names may be unrelated."""


def find_near(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a name misspells, or None unless there is exactly one.

    The names differ only in case or in `-_ `. If there is no such known name, they may differ in one letter or in two
    swapped letters.
    """
    return _find_near(name, tuple(known))


@lru_cache(maxsize=4096)
def _find_near(name: str, names: tuple[str, ...]) -> str | None:
    plain = _normalize(name)
    if name in names or not plain:
        return None
    same = [candidate for candidate in names if _normalize(candidate) == plain]
    near = same or [
        candidate
        for candidate in names
        if len(candidate) >= _MIN_LETTERS <= len(plain) and _differ_by_one_slip(_normalize(candidate), plain)
    ]
    return near[0] if len(near) == 1 else None


@lru_cache(maxsize=4096)
def _normalize(name: str) -> str:
    return "".join(char for char in name.lower() if char not in "-_ ")


def _differ_by_one_slip(first: str, second: str) -> bool:
    """Return whether texts differ by one letter (added, removed or changed) or by two swapped letters."""
    short, long = sorted((first, second), key=len)
    if len(long) - len(short) > 1:
        return False
    start = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    rest, more = short[start:], long[start:]
    if len(short) < len(long):
        return rest == more[1:]
    return rest[1:] == more[1:] or (rest[2:] == more[2:] and rest[:2] == more[1::-1])
