"""Places in a file as an editor counts them: lines end with \\n, \\r\\n or \\r, characters are units of an encoding."""

import re
from bisect import bisect_right
from functools import cached_property

from lsprotocol.types import Position, Range
from pygls.workspace import PositionCodec

_END = re.compile(r"\r\n|\n|\r")


class Text:
    """A text between two counts: lines of tune-skill, from 1, which end with \\n alone, and places of the protocol.

    A byte order mark counts for neither: editors do not show it.
    """

    def __init__(self, text: str, codec: PositionCodec) -> None:
        self.text = text.lstrip("\ufeff")
        self._codec = codec

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(n + 1 for n, char in enumerate(self.text) if char == "\n")]

    @cached_property
    def _shown(self) -> list[int]:
        return [0, *(match.end() for match in _END.finditer(self.text))] if "\r" in self.text else self._lines

    def start(self, line: int) -> int:
        """Return the offset at which a line begins; beyond the last one, the end of the text."""
        return self._lines[line - 1] if 0 < line <= len(self._lines) else len(self.text)

    def end(self, line: int) -> int:
        """Return the offset at which the text of a line ends, before its \\n or \\r\\n."""
        stop = self._lines[line] - 1 if line < len(self._lines) else len(self.text)
        return stop - (stop > self.start(line) and self.text[stop - 1] == "\r")

    def position(self, offset: int) -> Position:
        """Return the place of an offset."""
        line = bisect_right(self._shown, offset) - 1
        return Position(line, self._codec.client_num_units(self.text[self._shown[line] : offset]))

    def range_of(self, line: int) -> Range:
        """Return what stands on a line, without the blanks around it."""
        start, end = self.start(line), self.end(line)
        said = self.text[start:end]
        first = start + len(said) - len(said.lstrip())
        return Range(self.position(first), self.position(max(first, start + len(said.rstrip()))))
