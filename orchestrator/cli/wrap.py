"""Text that fits a terminal: broken at spaces, measured in columns (a Han character takes two)."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from unicodedata import combining, east_asian_width

_UNIT = re.compile(r"[^\s`]*`[^`]+`[^\s`]*|\S+")
"""What is not broken where it fits on a line: a word, or inline code with what sticks to it."""
_NARROWEST, _WIDEST, _UNKNOWN = 40, 120, 100


def columns() -> int:
    """Give the width to write for: the terminal's (also behind a pager), up to what the eye follows easily."""
    given = os.environ.get("COLUMNS", "")
    found = int(given) if given.isdecimal() and len(given) < 5 else next(_terminals(), _UNKNOWN)
    return max(_NARROWEST, min(found or _UNKNOWN, _WIDEST))


def _terminals() -> Iterator[int]:
    for descriptor in (1, 2, 0):
        with suppress(OSError):
            yield os.get_terminal_size(descriptor).columns


def width(text: str) -> int:
    """Give the columns that a text takes."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def cut(text: str, limit: int) -> str:
    """Give a text that takes at most `limit` columns, with an ellipsis where it was cut."""
    if width(text) <= limit:
        return text
    used = 1
    for i, character in enumerate(text):
        used += _columns_of(character)
        if used > limit:
            return text[:i].rstrip() + "…"
    return text


def wrapped(text: str, limit: int) -> Iterator[str]:
    """Give the lines of a text that take at most `limit` columns each, with inline code whole where it fits on one."""
    line = ""
    for unit in _UNIT.findall(" ".join(text.split())):
        longest = limit if "`" in unit else limit // 2
        if line and width(line) + 1 + width(unit) > limit and width(unit) <= longest:
            yield line
            line = ""
        line = f"{line} {unit}" if line else unit
        while width(line) > limit:
            head = _head(line, limit)
            yield head.rstrip()
            line = line[len(head) :].lstrip()
    if line:
        yield line


def _head(line: str, limit: int) -> str:
    """Give the longest beginning that fits, to the last space when one is near."""
    used = 0
    for i, character in enumerate(line):
        used += _columns_of(character)
        if used > limit:
            space = line.rfind(" ", limit // 2, i + 1)
            return line[: space if space > 0 else i]
    return line


@lru_cache(maxsize=4096)
def _columns_of(character: str) -> int:
    return 0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1
