"""Convert positions in a file to LSP positions.

In LSP, a line ends with \\n, \\r\\n or \\r, and columns are counted in code units.
"""

from bisect import bisect_right
from functools import cached_property

from lsprotocol.types import Position, Range
from pygls.workspace import PositionCodec

from actions.regex import regex

_LINE_END = regex(r"\r\n|\n|\r")


class Text:
    r"""A text with lines as in findings, and positions as in LSP.

    In findings the first line is 1, and a line ends only with \
    . A byte order mark is not part of the text, because editors do not show it.
    """

    def __init__(self, text: str, codec: PositionCodec) -> None:
        self.text = text.lstrip("\ufeff")
        self._codec = codec

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(n + 1 for n, char in enumerate(self.text) if char == "\n")]

    @cached_property
    def _editor_line_starts(self) -> list[int]:
        return (
            [0, *(match.end() for match in _LINE_END.finditer(self.text))] if "\r" in self.text else self._line_starts
        )

    def start(self, line: int) -> int:
        """Return the offset of the beginning of a line. For a line after the last one, return the end of the text."""
        return self._line_starts[line - 1] if 0 < line <= len(self._line_starts) else len(self.text)

    def end(self, line: int) -> int:
        """Return the offset of the end of a line, before its \\n or \\r\\n."""
        stop = self._line_starts[line] - 1 if line < len(self._line_starts) else len(self.text)
        return stop - (stop > self.start(line) and self.text[stop - 1] == "\r")

    def get_position(self, offset: int) -> Position:
        """Return the LSP position of an offset in the text."""
        line = bisect_right(self._editor_line_starts, offset) - 1
        return Position(line, self._codec.client_num_units(self.text[self._editor_line_starts[line] : offset]))

    def get_range(self, line: int) -> Range:
        """Return the LSP range of a line's text, without the whitespace around it."""
        start, end = self.start(line), self.end(line)
        line_text = self.text[start:end]
        first = start + len(line_text) - len(line_text.lstrip())
        return Range(self.get_position(first), self.get_position(max(first, start + len(line_text.rstrip()))))
