"""Search a whole text at once and return line numbers, which takes far less time than a search of each line."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

import msgspec

from actions.memo import cached_property


class LineIndex(msgspec.Struct, frozen=True, dict=True):
    """A text whose lines end with a line feed. Lines count from 1."""

    text: str

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(map((1).__add__, map(len, self.text.split("\n"))))]

    def find(self, *marks: str) -> list[int]:
        """Return the numbers of the lines that contain at least one of the texts, in ascending order."""
        return sorted({number for mark in marks for number in self._find(mark)})

    def _find(self, mark: str) -> Iterator[int]:
        offset = self.text.find(mark)
        while offset >= 0:
            yield (number := bisect_right(self._starts, offset))
            offset = self.text.find(mark, self._starts[number])
