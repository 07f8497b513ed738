"""The lines of a file that hold one of some words. Each word is read once, for all patterns together.

Most lines concern no pattern, and a regex that is tried on all of them costs more than everything else. So a pattern
names stems, one of which stands in each line that it can meet, and looks at no other line.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache, reduce
from operator import or_
from typing import cast

from actions.skill.skill import SkillFile

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
_by_line = 0
"""The sets whose lines are noted down: those of a pattern are only looked for in a text."""


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
    """A set of stems: letters or Han characters, anywhere in a word and in any case; two letters are a whole word.

    `by_line`: whether files may be asked for the lines that hold one.
    """

    def __init__(self, *words: str, by_line: bool = True) -> None:
        global _count, _by_line
        self._bit = 1 << _count
        self.words = words
        _by_line |= self._bit if by_line else 0
        _count += 1
        for word in words:
            stem = word.encode()
            if stem.translate(_LETTERS).split() != [stem]:
                raise ValueError(f"{word!r} is no stem: small letters or Han characters, nothing else")
            _stems[stem[:_HEAD]].append((stem, self._bit))
        _bits.clear()
        _held.cache_clear()

    def within(self, file: SkillFile) -> bool:
        """Tell whether a file holds a stem."""
        return self._bit in _index(file)

    def stand_in(self, text: str) -> bool:
        """Tell whether a text holds a stem."""
        return bool(_held(text) & self._bit)

    def lines(self, file: SkillFile, *others: "Stems") -> Iterator[tuple[int, str]]:
        """Give the numbered lines of a file that hold a stem, and one of each of the others."""
        lines = file.doc.lines
        return ((number, lines[number - 1]) for number in self.numbers(file, *others) if number <= len(lines))

    def prose(self, file: SkillFile, *others: "Stems") -> Iterator[tuple[int, str]]:
        """Give the lines of a file's prose that hold a stem, and one of each of the others."""
        prose = file.doc.prose_at
        return ((number, prose[number]) for number in self.numbers(file, *others) if number in prose)

    def numbers(self, file: SkillFile, *others: "Stems") -> list[int]:
        """Give the numbers of the lines that hold a stem, and one of each of the others, in order."""
        if not all(stems._bit & _by_line for stems in (self, *others)):
            raise ValueError(f"no lines are noted down for the stems {self.words}")
        index = _index(file)
        first, *rest = sorted((index.get(stems._bit, []) for stems in (self, *others)), key=len)
        return sorted(set(first).intersection(*rest)) if first and rest else first


class Gated:
    """A pattern with sets of stems: one of each set stands in all that it meets, so no other text is looked at.

    `stems`: each a set, or its words with blanks between them.
    """

    def __init__(self, pattern: str, flags: int, *stems: Stems | str) -> None:
        self.regex = re.compile(pattern, flags)
        self.stems = [Stems(*one.split(), by_line=False) if isinstance(one, str) else one for one in stems]
        self._wanted = sum(one._bit for one in self.stems)
        GATED.append(self)

    def may_meet(self, text: str) -> bool:
        """Tell whether a text holds the stems."""
        return _held(text) & self._wanted == self._wanted

    def search(self, text: str) -> re.Match[str] | None:
        """Give the first place that the pattern meets."""
        return self.regex.search(text) if _held(text) & self._wanted == self._wanted else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Give each place that the pattern meets."""
        return self.regex.finditer(text) if _held(text) & self._wanted == self._wanted else iter(())


GATED: list[Gated] = []
"""Each of them; a test asks all whether a stem hides what its pattern meets."""


@lru_cache(maxsize=16384)
def _held(text: str) -> int:
    """Give the stems that a text holds, as bits."""
    return reduce(or_, map(_bits.__getitem__, text.encode("utf-8", "ignore").translate(_LETTERS).split()), 0)


def _index(file: SkillFile) -> dict[int, list[int]]:
    """Give the numbers of the lines that hold a stem, by its bit."""
    key = f"stems {_count}"
    index = file.memo.get(key)
    if index is None:
        found: dict[int, list[int]] = defaultdict(list)
        stems_of = _bits.__getitem__
        for number, line in enumerate(file.raw.translate(_LETTERS).split(b"\n"), 1):
            words = line.split()
            bits = reduce(or_, map(stems_of, words)) & _by_line if words else 0
            while bits:
                rest = bits & (bits - 1)
                found[bits ^ rest].append(number)
                bits = rest
        index = file.memo[key] = dict(found)
    return cast(dict[int, list[int]], index)
