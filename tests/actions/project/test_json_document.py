"""Test that JSON is read with its line numbers, and that hostile text gives an error, never an exception."""

import json
from math import inf

import pytest

from actions.project.json_document import DuplicateKey, parse_json
from tests.growth import grows_at_most, measure_seconds

TEXT = b"""{
  "hooks": {
    "Stop": [
      {"matcher": "a"},
      {"matcher":
        "b", "caf\\u00e9": 1}
    ]
  },
  "hooks2": {}
}
"""


@pytest.mark.parametrize(
    ("steps", "line"),
    [
        ((), 1),
        (("hooks",), 2),
        (("hooks", "Stop"), 3),
        (("hooks", "Stop", 0, "matcher"), 4),
        (("hooks", "Stop", 1, "matcher"), 5),
        (("hooks", "Stop", 1, "café"), 6),
        (("hooks", "Stop", 7, "matcher"), 3),
        (("hooks", "Start"), 2),
        (("hooks2",), 9),
    ],
)
def test_find_line_names_the_line_of_a_part(steps, line):
    assert parse_json(TEXT).find_line(*steps) == line


def test_duplicates_are_listed_per_object():
    document = parse_json(b'{"a": 1,\n "b": {"a": 2},\n "a": 3}')
    assert document.duplicates == (DuplicateKey("a", 3, 1, first_end=1),)
    assert document.value == {"a": 3, "b": {"a": 2}}


def test_unpaired_surrogates_are_replaced_and_still_found():
    document = parse_json(b'{"a\\ud800": 1,\n "a\\ud801": 2,\n "b": 3, "b": "\\udfff"}')
    assert document.value == {"a\ufffd": 2, "b": "\ufffd"}
    assert document.find_line("a\ufffd") == 2
    assert [duplicate.key for duplicate in document.duplicates] == ["b"]


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        (b"", 1),
        (b"{", 1),
        (b'{\n "a": }', 2),
        (b"\xff", 1),
        (b"[" * 100_000, 1),
        (b" " * 6_000_000, 1),
    ],
)
def test_unusable_text_is_an_error_with_a_line(raw, line):
    document = parse_json(raw)
    assert document.error
    assert (document.value, document.error_line, document.duplicates) == (None, line, ())
    assert document.find_line("a", 0) >= 1


def test_long_numbers_are_read_like_in_javascript():
    assert parse_json(b"[1, %s, -%s]" % (b"9" * 5_000, b"9" * 5_000)).value == [1, inf, -inf]


def test_byte_order_mark_is_skipped():
    assert parse_json(b"\xef\xbb\xbf{}").value == {}


def test_find_line_takes_linear_time():
    def measure(count):
        value = {"hooks": {"Stop": [{"command": f"x{n}"} for n in range(count)]}, **{f"k{n}": n for n in range(count)}}
        document = parse_json(json.dumps(value, indent=1).encode())

        def find_all():
            for n in range(count):
                assert document.find_line("hooks", "Stop", n, "command") == 5 + 3 * n
                document.find_line(f"k{n}")

        return measure_seconds(find_all)

    assert grows_at_most(measure, 1_000, 2_000, factor=3)
