"""The lines of a file that hold one of some words. Each word is read once, for all patterns together.

Most lines concern no pattern, and a regex that is tried on all of them costs more than everything else. So a pattern
names stems, one of which stands in each line that it can meet, and looks at no other line.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import NamedTuple, cast

from actions.model import regex as re
from actions.model.skill import SkillFile

_HEAD = 3
"""Bytes by which a stem is found: three letters, or one Han character."""
_ASCII = re.compile(rb"[a-z]+")
_MOST_WORDS = 200_000
_LETTERS = bytes(
    code if code > 127 else ord(low) if (low := chr(code).lower()).isalpha() or low == "\n" else 32
    for code in range(256)
)
"""What each byte of a text stands for: a letter in lower case, part of another character, a line end, or a blank."""
_stems: dict[bytes, list[tuple[bytes, int]]] = defaultdict(list)
_count = 0


class _Words(dict[bytes, int]):
    """The stems in each word that was met, as bits."""

    def __missing__(self, word: bytes) -> int:
        """Learn a word."""
        if len(self) >= _MOST_WORDS:
            self.clear()
        bits = 0
        heads = [word[at : at + _HEAD] for at in range(max(1, len(word) - _HEAD + 1))]
        if not _stems.keys().isdisjoint(heads):
            for at, head in enumerate(heads):
                for stem, bit in _stems.get(head, ()):
                    if word.startswith(stem, at):
                        bits |= bit
        if not word.isascii():
            bits = reduce(or_, map(self.__getitem__, _ASCII.findall(word)), bits)
        self[word] = bits
        return bits


_bits = _Words()


class Stems:
    """A set of stems: letters or Han characters, anywhere in a word and in any case; two letters are a whole word."""

    def __init__(self, *words: str) -> None:
        global _count
        self._bit = 1 << _count
        _count += 1
        for word in words:
            stem = word.encode()
            if stem.translate(_LETTERS).split() != [stem]:
                raise ValueError(f"{word!r} is no stem: small letters or Han characters, nothing else")
            _stems[stem[:_HEAD]].append((stem, self._bit))
        _bits.clear()

    def within(self, file: SkillFile) -> bool:
        """Tell whether a file holds a stem."""
        return bool(_index(file).held & self._bit)

    def lines(self, file: SkillFile, *others: "Stems") -> Iterator[tuple[int, str]]:
        """Give the numbered lines of a file that hold a stem, and one of each of the others."""
        lines = file.doc.lines
        return ((number, lines[number - 1]) for number in self._numbers(file, others) if number <= len(lines))

    def prose(self, file: SkillFile, *others: "Stems") -> Iterator[tuple[int, str]]:
        """Give the lines of a file's prose that hold a stem, and one of each of the others."""
        prose = file.doc.prose_at
        return ((number, prose[number]) for number in self._numbers(file, others) if number in prose)

    def _numbers(self, file: SkillFile, others: tuple["Stems", ...]) -> list[int]:
        wanted = sum(other._bit for other in others) | self._bit
        index = _index(file)
        if index.held & wanted != wanted:
            return []
        found = [n for bits, numbers in index.places.items() if bits & wanted == wanted for n in numbers]
        found.sort()
        return found


class _Index(NamedTuple):
    """The lines of a file by the stems that they hold, as bits, without lines that hold none; and all of its stems."""

    places: dict[int, list[int]]
    held: int


def _index(file: SkillFile) -> _Index:
    key = f"stems {_count}"
    index = file.memo.get(key)
    if index is None:
        places: dict[int, list[int]] = defaultdict(list)
        stems_of = _bits.__getitem__
        for number, line in enumerate(file.raw.translate(_LETTERS).split(b"\n"), 1):
            words = line.split()
            if words and (bits := reduce(or_, map(stems_of, words))):
                places[bits].append(number)
        index = file.memo[key] = _Index(dict(places), reduce(or_, places, 0))
    return cast(_Index, index)
