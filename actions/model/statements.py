"""The sentences of a file's prose, also those that run over several lines, with the line where each begins."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from actions.model import regex as re
from actions.model.memo import once
from actions.model.skill import SkillFile
from actions.model.stems import Stems
from actions.model.text import sentences, strip_list_mark

_OPENS = re.compile(r"\s*(?:[-*+•]\s|\d+[.)、]\s?|[a-z][.)]\s|#{1,6}\s|\||>|\*\*[^*]{1,60}\*\*\s*[:：]|<)")
_LONGEST = 6000


@dataclass(frozen=True)
class Statement:
    """One sentence, and its first line. `unit` counts the paragraphs, list entries and table rows of the file."""

    line: int
    text: str
    unit: int


_Known = dict[int, tuple[Statement, ...]]


def statements(file: SkillFile, *stems: Stems) -> Iterator[Statement]:
    """Give the sentences of the units of prose that hold one of each of the stems; headings are left out."""
    known = _known(file)
    for number, unit in _wanted(file, stems):
        yield from known.get(number) or _told(known, unit, number)


def statements_at(file: SkillFile, numbers: Iterable[int]) -> Iterator[Statement]:
    """Give the sentences of the units of prose to which these lines belong."""
    units, places = _units(file)
    known = _known(file)
    for number in sorted({places[number] for number in numbers if number in places}):
        yield from known.get(number) or _told(known, units[number], number)


def paragraphs(file: SkillFile, *stems: Stems) -> Iterator[tuple[int, int, str]]:
    """Give first and last line and text of the paragraphs, list entries and table rows that hold one of each stems."""
    for _, unit in _wanted(file, stems):
        yield unit[0][0], unit[-1][0], " ".join(line.strip() for _, line in unit)


def _wanted(file: SkillFile, stems: tuple[Stems, ...]) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    units, places = _units(file)
    if not stems:
        yield from enumerate(units)
        return
    wanted = set.intersection(*({places[n] for n in stem.numbers(file) if n in places} for stem in stems))
    yield from ((number, units[number]) for number in sorted(wanted))


@once
def _units(file: SkillFile) -> tuple[list[list[tuple[int, str]]], dict[int, int]]:
    """Give the units as numbered lines, and the unit of each line."""
    units: list[list[tuple[int, str]]] = []
    places: dict[int, int] = {}
    last = -1
    for number, line in file.doc.prose:
        if line.lstrip().startswith("#"):
            last = -1
            continue
        if last != number - 1 or not units or _OPENS.match(line):
            units.append([])
        units[-1].append((number, line))
        places[number] = len(units) - 1
        last = number
    return units, places


@once
def _known(file: SkillFile) -> _Known:
    """Give the sentences of the units that were asked for; those that are missing are put in when they are."""
    return {}


def _told(known: _Known, unit: list[tuple[int, str]], number: int) -> tuple[Statement, ...]:
    told = known[number] = tuple(_sentences(unit, number))
    return told


def _sentences(unit: list[tuple[int, str]], number: int) -> Iterator[Statement]:
    text, starts = "", []
    for _, line in unit:
        starts.append(len(text))
        text += (strip_list_mark(line) if not text else line.strip()).removeprefix(">").strip() + " "
    at = 0
    for sentence in sentences(text[:_LONGEST]):
        at = max(text.find(sentence, at), at)
        yield Statement(unit[bisect_right(starts, at) - 1][0], sentence, number)
        at += len(sentence)
