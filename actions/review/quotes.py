"""Finds the words that a judge quotes. What a file does not hold was not seen in it."""

import re
from bisect import bisect_right
from dataclasses import dataclass

from actions.memo import memoize
from actions.skill import SkillFile
from templates.filters import visible

_NUMBER = re.compile(r"^\s*\d+\|", re.MULTILINE)
_HIDDEN = re.compile(r"\\u\{[0-9A-F]+\}")
_LEAST = 6
"""Letters and digits that a quote needs; a Han character says as much as three."""


@dataclass(frozen=True)
class _Words:
    """The words of a file in one line, and where each of its lines begins there."""

    text: str
    starts: tuple[int, ...]
    lines: tuple[int, ...]


def locate_quote(file: SkillFile, quote: str) -> tuple[int, int] | None:
    """Give the first and last line where a file holds a quote; None where it does not, or where it says too little.

    Spaces, line breaks and characters that print nothing do not count, nor do line numbers before a `|`.
    """
    wanted, words = strip_line_numbers(quote), _words(file)
    if sum(3 if "\u3400" <= c <= "\u9fff" else c.isalnum() for c in wanted) < _LEAST:
        return None
    at = words.text.find(wanted)
    if at < 0:
        return None
    first, last = (bisect_right(words.starts, n) - 1 for n in (at, at + len(wanted) - 1))
    return words.lines[first], words.lines[last]


def strip_line_numbers(quote: str) -> str:
    """Give what a quote quotes, without line numbers."""
    return flatten(_NUMBER.sub("", quote))


def flatten(text: str) -> str:
    """Give the words of a text in one line, without what prints nothing."""
    return " ".join(_HIDDEN.sub("", visible(text)).split())


@memoize
def _words(file: SkillFile) -> _Words:
    starts, lines, texts, length = [], [], [], 0
    for number, line in enumerate(file.doc.lines, 1):
        if text := flatten(line):
            starts.append(length)
            lines.append(number)
            texts.append(text)
            length += len(text) + 1
    return _Words(" ".join(texts), tuple(starts), tuple(lines))
