"""Find a judge's quotes in the lines of a file."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping

import msgspec

from actions.memo import memoize
from actions.regex import regex
from actions.skill import SkillFile
from templates.filters import visible

_LINE_NUMBER = regex(r"^[^\S\n]*\d+\|", re.MULTILINE)
_INVISIBLE = regex(r"\\u\{[0-9A-F]+\}")
_NAMED_LINES = regex(r"(?:([\w./-]{1,200}):|\b[Ll]ines? )(\d{1,6})(?:(?: ?[-–] ?| to | and )(\d{1,6}))?\b")
"""Lines that a sentence names: `steps.md:12`, “line 12”, “lines 12 to 14”, “lines 12 and 40”."""
_MIN_QUOTE, _MIN_WHOLE_LINE = 6, 3
"""Minimum letters and digits of a quote, and of a quote that is a whole line. A Han character counts as three."""


class _FlatText(msgspec.Struct, frozen=True):
    """The text of a file as one line. The original line with number `lines[n]` begins at the offset `starts[n]`."""

    text: str
    starts: tuple[int, ...]
    lines: tuple[int, ...]


def locate_quote(file: SkillFile, quote: str) -> tuple[int, int] | None:
    """Return the first and last line of a quote in a file; None if it is not there or too short.

    A short quote counts if it is a whole line, such as `"hook": {`. White space, invisible characters and line numbers
    before a `|` are ignored.
    """
    wanted, words = strip_line_numbers(quote), _flatten_file(file)
    if not has_letters(wanted):
        return _find_whole_line(file, wanted) if _count_letters(wanted) >= _MIN_WHOLE_LINE else None
    at = words.text.find(wanted)
    if at < 0:
        return None
    first, last = (bisect_right(words.starts, n) - 1 for n in (at, at + len(wanted) - 1))
    return words.lines[first], words.lines[last]


def has_letters(quote: str) -> bool:
    """Return whether a quote has enough letters and digits to identify a place."""
    return _count_letters(quote) >= _MIN_QUOTE


def _count_letters(quote: str) -> int:
    return sum(3 if "\u3400" <= c <= "\u9fff" else c.isalnum() for c in quote)


def _find_whole_line(file: SkillFile, wanted: str) -> tuple[int, int] | None:
    number = next((n for n, line in enumerate(file.doc.lines, 1) if flatten(line) == wanted), None)
    return (number, number) if number else None


def list_named_lines(text: str, path: str, files: Mapping[str, SkillFile]) -> Iterator[str]:
    """Yield each line that a sentence names, in the file named before it, else in `path`, as `file:line: words`."""
    for named, *numbers in _NAMED_LINES.findall(text):
        file = files.get(named or path)
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
    starts, lines, texts, length = [], [], [], 0
    for number, line in enumerate(file.doc.lines, 1):
        if text := flatten(line):
            starts.append(length)
            lines.append(number)
            texts.append(text)
            length += len(text) + 1
    return _FlatText(" ".join(texts), tuple(starts), tuple(lines))
