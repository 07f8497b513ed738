"""Wrap text for a terminal. Widths are in columns (a Chinese character takes two)."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from unicodedata import combining, east_asian_width

from actions.regex import regex

_UNIT = regex(r"[^\s`]*`[^`]+`[^\s`]*|\S+")
"""Text that is not broken if it fits on a line: a word, or inline code with adjacent characters."""
_STYLE = regex(r"\x1b\[[\d;]*m")
_CHARACTER_OR_STYLE = regex(rf"(?:{_STYLE.pattern})+|.")
_MIN_WIDTH, _MAX_WIDTH, _DEFAULT_WIDTH = 40, 120, 100
_MIN_TEXT_WIDTH, _INDENT = 30, 4
"""Minimum number of columns for a text next to its head. With fewer, the text starts on the next line, indented."""


def get_output_width() -> int:
    """Return the width of the terminal, limited to the range from 40 to 120, even if a pager shows the output."""
    value = os.environ.get("COLUMNS", "")
    width = int(value) if value.isdecimal() and len(value) < 5 else next(_terminal_widths(), _DEFAULT_WIDTH)
    return max(_MIN_WIDTH, min(width or _DEFAULT_WIDTH, _MAX_WIDTH))


def _terminal_widths() -> Iterator[int]:
    for descriptor in (1, 2, 0):
        with suppress(OSError):
            yield os.get_terminal_size(descriptor).columns


def width(text: str) -> int:
    """Return the width of a text in columns, not counting colour codes."""
    if "\x1b" in text:
        text = _STYLE.sub("", text)
    return len(text) if text.isascii() else sum(map(_count_columns, text))


def cut(text: str, limit: int) -> str:
    """Cut a text to `limit` columns. If something is cut, the text ends with an ellipsis."""
    if width(text) <= limit:
        return text
    used = 1
    for i, character in enumerate(text):
        used += _count_columns(character)
        if used > limit:
            return text[:i].rstrip() + "…"
    return text


def fit(head: str, text: str, hang: int | None = None, *, err: bool = False) -> Iterator[str]:
    """Yield a head and its text, wrapped for a terminal. If the stream is not a terminal, yield a single line.

    The head is never broken, so that a terminal can open the path in it. hang: the indent of further lines, by
    default the width of the head. If the head leaves little room, the text starts on the next line. err: the text
    goes to stderr.
    """
    if not (sys.stderr if err else sys.stdout).isatty():
        yield head + text
        return
    head_width, limit = width(head), get_output_width()
    is_below = hang is None and limit - head_width < _MIN_TEXT_WIDTH
    hang = _INDENT if is_below else head_width if hang is None else hang
    lines = list(wrap(text, limit - hang, 0 if is_below else limit - head_width))
    yield (head + "".join(lines[:1])).rstrip()
    yield from (" " * hang + line for line in lines[1:])


def wrap(text: str, limit: int, room: int | None = None) -> Iterator[str]:
    """Yield the lines of a text, each at most `limit` columns wide. Inline code is not broken if it fits on a line.

    room: the width of the first line, which is left empty if no word fits.
    """
    line, room = "", limit if room is None else room
    for unit in _UNIT.findall(" ".join(text.split())):
        longest = limit if "`" in unit or unit.isascii() else limit // 2
        if (line or room < limit) and width(line) + bool(line) + width(unit) > room and width(unit) <= longest:
            yield line
            line, room = "", limit
        line = f"{line} {unit}" if line else unit
        while width(line) > room:
            head = _find_prefix(line, room)
            yield head.rstrip()
            line, room = line[len(head) :].lstrip(), limit
    if line:
        yield line


def _find_prefix(line: str, limit: int) -> str:
    """Return the longest prefix of a line that fits in `limit` columns.

    The prefix ends at a space if its second half has one.
    """
    used = 0
    for part in _CHARACTER_OR_STYLE.finditer(line):
        used += width(part[0])
        if used > limit:
            space = line.rfind(" ", limit // 2, part.start() + 1)
            return line[: space if space > 0 else part.start()]
    return line


@lru_cache(maxsize=4096)
def _count_columns(character: str) -> int:
    return 0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1
