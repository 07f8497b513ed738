"""Test positions as an editor counts them, in each encoding of the protocol."""

import pytest
from lsprotocol.types import Position, PositionEncodingKind, Range
from pygls.workspace import PositionCodec

from orchestrator.servers.lsp.positions import Text


@pytest.mark.parametrize(
    ("encoding", "end"),
    [(PositionEncodingKind.Utf8, 13), (PositionEncodingKind.Utf16, 7), (PositionEncodingKind.Utf32, 6)],
)
def test_column_counts_code_units(encoding, end):
    text = Text("one\n  a世界😀  \n", PositionCodec(encoding))
    assert text.get_range(2) == Range(Position(1, 2), Position(1, end))


@pytest.mark.parametrize(
    ("text", "line", "expected_range"),
    [
        ("a\r\nb\r\n", 2, Range(Position(1, 0), Position(1, 1))),
        (
            "a\rb\nc\n",
            2,
            Range(Position(2, 0), Position(2, 1)),
        ),  # An editor ends a line at a lone \r, but tune-skill does not.
        ("a\x0cb\u2028c\x85d\ne", 2, Range(Position(1, 0), Position(1, 1))),  # Neither ends a line at these characters.
        ("\ufeffab\n", 1, Range(Position(0, 0), Position(0, 2))),
        ("a\n", 2, Range(Position(1, 0), Position(1, 0))),
        ("a", 9, Range(Position(0, 1), Position(0, 1))),
        ("", 1, Range(Position(0, 0), Position(0, 0))),
    ],
)
def test_lines_end_as_in_an_editor(text, line, expected_range):
    assert Text(text, PositionCodec()).get_range(line) == expected_range
