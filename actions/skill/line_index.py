"""Search a whole text at once and return line numbers, which takes far less time than a search of each line."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate

import msgspec


class LineIndex(msgspec.Struct, frozen=True, dict=True):
    """A text whose lines end with a line feed. Lines count from 1."""

    text: str

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(line) + 1 for line in self.text.split("\n"))]

    def number_at(self, offset: int) -> int:
        """Return the number of the line that contains the character at an offset."""
        return bisect_right(self._starts, offset)

    def find(self, *marks: str) -> list[int]:
        """Return the numbers of the lines that contain one of some texts, in order."""
        return sorted({number for mark in marks for number in self._find(mark)})

    def _find(self, mark: str) -> Iterator[int]:
        offset = self.text.find(mark)
        while offset >= 0:
            yield (number := self.number_at(offset))
            offset = self.text.find(mark, self._starts[number])

    def search(self, pattern: re.Pattern[str]) -> list[int]:
        """Return the numbers of the lines in which the matches of a pattern end, in order."""
        return list(dict.fromkeys(self.number_at(match.end() - 1) for match in pattern.finditer(self.text)))
