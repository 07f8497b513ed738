"""Text that fits a terminal: broken at spaces, measured in columns (a Han character takes two)."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from unicodedata import combining, east_asian_width

_UNIT = re.compile(r"[^\s`]*`[^`]+`[^\s`]*|\S+")
"""What is not broken where it fits on a line: a word, or inline code with what sticks to it."""
_STYLE = re.compile(r"\x1b\[[\d;]*m")
_PART = re.compile(rf"(?:{_STYLE.pattern})+|.")
_NARROWEST, _WIDEST, _UNKNOWN = 40, 120, 100
_ROOM, _BELOW = 30, 4
"""Columns that a text needs beside its head; where there are fewer it stands below, so far to the right."""


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
    """Give the columns that a text takes, its colours left out."""
    if "\x1b" in text:
        text = _STYLE.sub("", text)
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


def fitted(head: str, text: str, hang: int | None = None, *, err: bool = False) -> Iterator[str]:
    """Give a text behind its head, broken at spaces where it goes to a terminal, else as one line.

    The head stays whole: a terminal opens the path in it. hang: columns before each further line, by default as many
    as the head takes; where that leaves little room, all of the text stands below. err: it goes to stderr.
    """
    if not (sys.stderr if err else sys.stdout).isatty():
        yield head + text
        return
    taken, limit = width(head), columns()
    below = hang is None and limit - taken < _ROOM
    hang = _BELOW if below else taken if hang is None else hang
    lines = list(wrapped(text, limit - hang, 0 if below else limit - taken))
    yield (head + "".join(lines[:1])).rstrip()
    yield from (" " * hang + line for line in lines[1:])


def wrapped(text: str, limit: int, room: int | None = None) -> Iterator[str]:
    """Give the lines of a text that take at most `limit` columns each, with inline code whole where it fits on one.

    room: columns that the first line has instead; it is empty where no word fits there.
    """
    line, room = "", limit if room is None else room
    for unit in _UNIT.findall(" ".join(text.split())):
        longest = limit if "`" in unit or unit.isascii() else limit // 2
        if (line or room < limit) and width(line) + bool(line) + width(unit) > room and width(unit) <= longest:
            yield line
            line, room = "", limit
        line = f"{line} {unit}" if line else unit
        while width(line) > room:
            head = _head(line, room)
            yield head.rstrip()
            line, room = line[len(head) :].lstrip(), limit
    if line:
        yield line


def _head(line: str, limit: int) -> str:
    """Give the longest beginning that fits, to the last space when one is near."""
    used = 0
    for part in _PART.finditer(line):
        used += width(part[0])
        if used > limit:
            space = line.rfind(" ", limit // 2, part.start() + 1)
            return line[: space if space > 0 else part.start()]
    return line


@lru_cache(maxsize=4096)
def _columns_of(character: str) -> int:
    return 0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1
