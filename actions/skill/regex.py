"""Python's `re`, for `from actions.skill import regex as re`: a pattern is compiled when it is first used.

To compile all patterns takes longer than to diagnose a skill, and most skills use few of them.
"""

import re
from re import (
    ASCII,
    DOTALL,
    IGNORECASE,
    MULTILINE,
    VERBOSE,
    A,
    I,
    M,
    Match,
    Pattern,
    S,
    X,
    error,
    escape,
    findall,
    finditer,
    fullmatch,
    match,
    search,
    split,
    sub,
    subn,
)  # fmt: skip
from typing import Any, AnyStr, cast

from actions.skill.compiled import compiled

__all__ = [
    "ASCII", "DOTALL", "IGNORECASE", "MULTILINE", "VERBOSE", "A", "I", "M", "Match", "Pattern", "S", "X", "compile",
    "error", "escape", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn",
]  # fmt: skip

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub")


class _Later:
    """Becomes a compiled pattern, method by method, as soon as one is asked for."""

    standing = True
    """Whether the patterns made now stand in the code. Those that are made later may hold words of a skill, so the
    programs of these alone are kept."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags
        self._stands = self.standing

    def __getattr__(self, name: str) -> Any:
        kept = self._stands and isinstance(self.pattern, str)
        made = compiled(cast(str, self.pattern), self._flags) if kept else re.compile(self.pattern, self._flags)
        self.__dict__.update({method: getattr(made, method) for method in _METHODS})
        return getattr(made, name)


def all_stand() -> None:
    """Take note that the code is loaded: a pattern that is made from now on is made of what was read."""
    _Later.standing = False


def compile(pattern: AnyStr, flags: int = 0) -> Pattern[AnyStr]:
    """Give a pattern as `re.compile` does; one that is no regex raises when it is first used."""
    return cast(Pattern[AnyStr], _Later(pattern, flags))
