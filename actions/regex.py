"""Compile regular expressions on first use, because a session or a small skill needs only a few of them."""

import re
from typing import Any, AnyStr, cast


class _LazyPattern:
    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        self.__dict__[name] = attribute = getattr(re.compile(self.pattern, self._flags), name)
        return attribute


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return an object that behaves like the compiled pattern. The pattern is compiled on first use.

    If the pattern is invalid, its first use raises an error. The tests use all patterns.
    """
    return cast(re.Pattern[AnyStr], _LazyPattern(pattern, flags))


def begin_word(*words: str) -> str:
    r"""Return the expression for one of `words` (each begins with a letter) at the start of a word, like `\b(?:a|b)`.

    A search for it skips to the words' first letters. An expression that begins with `\b` is tried at every character,
    which takes two to five times as long.
    """
    expressions = (rf"{word[0]}(?<!\w{word[0]}){word[1:]}" for word in words)
    return f"(?:{'|'.join(expressions)})"
