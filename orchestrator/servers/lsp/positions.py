"""Convert positions in a file to those of an editor: lines end with \\n, \\r\\n or \\r, characters are code units."""

import re
from bisect import bisect_right
from functools import cached_property

from lsprotocol.types import Position, Range
from pygls.workspace import PositionCodec

_END = re.compile(r"\r\n|\n|\r")


class Text:
    """A text with two counts: lines of tune-skill, from 1, which end with \\n alone, and positions of the protocol.

    A byte order mark counts in neither, because editors do not show it.
    """

    def __init__(self, text: str, codec: PositionCodec) -> None:
        self.text = text.lstrip("\ufeff")
        self._codec = codec

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(n + 1 for n, char in enumerate(self.text) if char == "\n")]

    @cached_property
    def _editor_lines(self) -> list[int]:
        return [0, *(match.end() for match in _END.finditer(self.text))] if "\r" in self.text else self._lines

    def start(self, line: int) -> int:
        """Return the offset at which a line begins; beyond the last one, the end of the text."""
        return self._lines[line - 1] if 0 < line <= len(self._lines) else len(self.text)

    def end(self, line: int) -> int:
        """Return the offset at which the text of a line ends, before its \\n or \\r\\n."""
        stop = self._lines[line] - 1 if line < len(self._lines) else len(self.text)
        return stop - (stop > self.start(line) and self.text[stop - 1] == "\r")

    def position(self, offset: int) -> Position:
        """Return the position of an offset."""
        line = bisect_right(self._editor_lines, offset) - 1
        return Position(line, self._codec.client_num_units(self.text[self._editor_lines[line] : offset]))

    def range_of(self, line: int) -> Range:
        """Return the range of a line's text without the blanks around it."""
        start, end = self.start(line), self.end(line)
        line_text = self.text[start:end]
        first = start + len(line_text) - len(line_text.lstrip())
        return Range(self.position(first), self.position(max(first, start + len(line_text.rstrip()))))
