"""The sentences of a file's prose, also those that run over several lines, with the line where each begins."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from actions.skill.memo import once
from actions.skill.skill import SkillFile
from actions.skill.stems import Stems
from actions.skill.text import sentences, strip_list_mark

_OPENS = re.compile(r"\s*(?:[-*+•]\s|\d+[.)、]\s?|[a-z][.)]\s|#{1,6}\s|\||>|\*\*[^*]{1,60}\*\*\s*[:：]|<)")
_HAN = "\u3000"
"""From here on stand Han characters and their punctuation."""
_LONGEST = 6000


@dataclass(frozen=True)
class Statement:
    """One sentence, and its first line. `unit` counts the paragraphs, list entries and table rows of the file."""

    line: int
    text: str
    unit: int


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, list entry or table row: its lines, of which the first is line `start` of the file."""

    start: int
    lines: tuple[str, ...]


_Known = dict[int, tuple[Statement, ...]]


def statements(file: SkillFile, *stems: Stems) -> Iterator[Statement]:
    """Give the sentences of the units of prose that hold one of each of the stems; headings are left out."""
    for number in _wanted(file, stems):
        yield from statements_in(file, number)


def statements_at(file: SkillFile, numbers: Iterable[int]) -> Iterator[Statement]:
    """Give the sentences of the units of prose to which these lines belong."""
    for unit in units_at(file, numbers):
        yield from statements_in(file, unit)


def statements_in(file: SkillFile, unit: int) -> tuple[Statement, ...]:
    """Give the sentences of one unit of prose."""
    known = _known(file)
    found = known.get(unit)
    if found is None:
        found = known[unit] = tuple(_sentences(units(file)[unit], unit))
    return found


def units_at(file: SkillFile, numbers: Iterable[int]) -> list[int]:
    """Give the units of prose to which these lines belong, in order."""
    places = _parted(file)[1]
    return sorted({places[number] for number in numbers if number in places})


def units(file: SkillFile) -> tuple[Paragraph, ...]:
    """Give all paragraphs, list entries and table rows of a file's prose, headings left out."""
    return _parted(file)[0]


def paragraphs(file: SkillFile, *stems: Stems) -> Iterator[tuple[int, int, str]]:
    """Give first and last line and text of the paragraphs, list entries and table rows that hold one of each stems."""
    known = units(file)
    for unit in (known[number] for number in _wanted(file, stems)):
        yield unit.start, unit.start + len(unit.lines) - 1, _joined(unit.lines)[0]


def _wanted(file: SkillFile, stems: tuple[Stems, ...]) -> Iterable[int]:
    known, places = _parted(file)
    if not stems:
        return range(len(known))
    return sorted(set.intersection(*({places[n] for n in stem.numbers(file) if n in places} for stem in stems)))


@once
def _parted(file: SkillFile) -> tuple[tuple[Paragraph, ...], dict[int, int]]:
    """Give the units, and the unit of each line."""
    parts: list[tuple[int, list[str]]] = []
    places: dict[int, int] = {}
    last = -1
    for number, line in file.doc.prose:
        if line.lstrip().startswith("#"):
            last = -1
            continue
        if last != number - 1 or not parts or _OPENS.match(line):
            parts.append((number, []))
        parts[-1][1].append(line)
        places[number] = len(parts) - 1
        last = number
    return tuple(Paragraph(start, tuple(lines)) for start, lines in parts), places


@once
def _known(file: SkillFile) -> _Known:
    """Give the sentences of the units that were asked for; those that are missing are put in when they are."""
    return {}


def _sentences(unit: Paragraph, number: int) -> Iterator[Statement]:
    first, *more = unit.lines
    text, starts = _joined([strip_list_mark(first).removeprefix(">"), *more])
    at = 0
    for sentence in sentences(text[:_LONGEST]):
        at = max(text.find(sentence, at), at)
        yield Statement(unit.start + bisect_right(starts, at) - 1, sentence, number)
        at += len(sentence)


def _joined(lines: Sequence[str]) -> tuple[str, list[int]]:
    """Give the text of lines, and where in it each begins: no blank parts two that are Chinese."""
    text, starts = lines[0].strip(), [0]
    for line in map(str.strip, lines[1:]):
        text += " " if text[-1:] < _HAN or line < _HAN else ""
        starts.append(len(text))
        text += line
    return text, starts
