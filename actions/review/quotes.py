"""Find the quotes of a judge in the lines of a file."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from actions.memo import memoize
from actions.regex import regex
from actions.secrets import WITHHELD, withhold_values
from actions.skill import SkillFile
from templates.filters import visible

_LINE_NUMBER = regex(r"^[^\S\n]*\d+\|", re.MULTILINE)
_INVISIBLE = regex(r"\\u\{[0-9A-F]+\}")
_NAMED_LINES = regex(r"(?:([\w./-]{1,200}):|\b[Ll]ines? )(\d{1,6})(?:(?: ?[-–] ?| to | and )(\d{1,6}))?\b")
"""Line numbers in a sentence: `steps.md:12`, “line 12”, “lines 12 to 14”, “lines 12 and 40”."""
_MIN_QUOTE, _MIN_WHOLE_LINE = 6, 3
"""Minimum numbers of letters and digits of a quote, and of a whole line. A Han character counts as three."""


class _FlatText(msgspec.Struct, frozen=True):
    """The text of a file as one line. The original line with number `lines[n]` begins at the offset `starts[n]`."""

    text: str
    starts: tuple[int, ...]
    lines: tuple[int, ...]


def locate_quote(file: SkillFile, quote: str) -> tuple[int, int] | None:
    """Return the first and the last line of a quote in a file.

    Returns None if the quote is not in the file, or if it is too short. A short quote is found only if it is a whole
    line, such as `"hook": {`. White space, invisible characters and line numbers before a `|` are ignored. A quote with
    a withheld part is found where the same part is a secret.
    """
    words = strip_line_numbers(quote)
    flat = _flatten_withheld(file) if WITHHELD in words else _flatten_file(file)
    if not has_enough_letters(words):
        return _find_whole_line(file, words) if _count_letters(words) >= _MIN_WHOLE_LINE else None
    start = flat.text.find(words)
    if start < 0:
        return None
    first, last = (bisect_right(flat.starts, offset) - 1 for offset in (start, start + len(words) - 1))
    return flat.lines[first], flat.lines[last]


def has_enough_letters(quote: str) -> bool:
    """Return whether a quote has enough letters and digits to identify its lines."""
    return _count_letters(quote) >= _MIN_QUOTE


def _count_letters(quote: str) -> int:
    return sum(3 if "\u3400" <= c <= "\u9fff" else c.isalnum() for c in quote)


def _find_whole_line(file: SkillFile, words: str) -> tuple[int, int] | None:
    number = next((n for n, line in enumerate(file.doc.lines, 1) if flatten(line) == words), None)
    return (number, number) if number else None


def list_named_lines(text: str, path: str, files: Mapping[str, SkillFile]) -> Iterator[str]:
    """Yield each line that a sentence names, as `file:line: words`.

    If the sentence names a line without a file, the file is `path`.
    """
    for named_path, *numbers in _NAMED_LINES.findall(text):
        file = files.get(named_path or path)
        for number in map(int, filter(None, numbers)):
            if file and 0 < number <= len(file.doc.lines):
                yield f"{file.path}:{number}: {flatten(file.doc.line(number))}"


def strip_line_numbers(quote: str) -> str:
    """Return a quote as one line, without line numbers."""
    return flatten(_LINE_NUMBER.sub("", quote))


def flatten(text: str) -> str:
    """Return a text as one line, without invisible characters."""
    return " ".join(_INVISIBLE.sub("", visible(text)).split())


@memoize
def _flatten_file(file: SkillFile) -> _FlatText:
    return _join_lines(map(flatten, file.doc.lines))


@memoize
def _flatten_withheld(file: SkillFile) -> _FlatText:
    return _join_lines(withhold_values(flatten(line)) for line in file.doc.lines)


def _join_lines(texts_of_lines: Iterable[str]) -> _FlatText:
    starts, lines, texts, length = [], [], [], 0
    for number, text in enumerate(texts_of_lines, 1):
        if text:
            starts.append(length)
            lines.append(number)
            texts.append(text)
            length += len(text) + 1
    return _FlatText(" ".join(texts), tuple(starts), tuple(lines))
