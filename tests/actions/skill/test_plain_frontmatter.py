"""Test that the fast parser reads plain frontmatter as PyYAML does, and leaves all other frontmatter to PyYAML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.skill.plain_frontmatter import read_plain
from actions.yaml_reader import YamlError, read_yaml

WORDS = [
    "name",
    "on",
    "yes",
    "true",
    "True",
    "null",
    "a-b",
    "1.0",
    "2026-01-02",
    "é",
    "—",
    ":",
    " ",
    "#",
    "'",
    '"',
    "\\",
]
MARKS = [
    "\n",
    ": ",
    " #",
    "- ",
    "-",
    "|",
    ">",
    "&",
    "*",
    "!",
    "{",
    "[",
    ",",
    "%",
    "<<",
    "=",
    "\t",
    "\u2028",
    "\x85",
    "---",
]


BLOCKS = ["name: ", "\nkey: ", "\nkey:", "|\n", ">\n", "\n  ", "\n  name: ", "\n   more", "\n\n"]


@given(st.lists(st.sampled_from(WORDS + MARKS + BLOCKS), max_size=12).map("".join))
def test_plain_values_equal_those_of_pyyaml(text):
    values = read_plain(text)
    assert values is None or values == read_yaml(text).value


@given(st.text(max_size=12))
def test_value_of_any_characters_equals_that_of_pyyaml(value):
    text = f"name: owl{value}\nsize: a"
    assert read_plain(text) in (None, read_yaml_or_none(text))


@given(st.text(alphabet="0179.:-_+eETZxab \\\"'", max_size=12))
def test_value_like_a_number_or_a_date_equals_that_of_pyyaml(value):
    text = f"name: {value}\nsize: a"
    assert read_plain(text) in (None, read_yaml_or_none(text))


def read_yaml_or_none(text):
    try:
        return read_yaml(text).value
    except YamlError:
        return None


def test_plain_frontmatter_is_read():
    text = "name: owl\ndescription: \"Hunts: mice #1\"\nlicense: 'MIT'\nuser-invocable: false\n"
    expected = {"name": "owl", "description": "Hunts: mice #1", "license": "MIT", "user-invocable": False}
    assert read_plain(text) == expected


def test_versions_and_escaped_quotes_are_read():
    text = 'version: 1.0.2\nlicense: 3-clause BSD license\ndescription: "Say \\"owl\\"."'
    expected = {"version": "1.0.2", "license": "3-clause BSD license", "description": 'Say "owl".'}
    assert read_plain(text) == expected == read_yaml(text).value


def test_blocks_of_text_and_one_level_of_keys_are_read():
    text = "name: owl\ndescription: |\n  Hunts: mice.\n    #1\nwhen: >\n at\n night\nmetadata:\n    by: A"
    expected = {"name": "owl", "description": "Hunts: mice.\n  #1\n", "when": "at night\n", "metadata": {"by": "A"}}
    assert read_plain(text) == expected == read_yaml(text).value


@pytest.mark.parametrize("end", ["", "\n"])
def test_last_block_ends_like_its_text(end):
    text = f"name: |\n  owl{end}"
    assert read_plain(text) == {"name": f"owl{end}"} == read_yaml(text).value


@pytest.mark.parametrize(
    "line",
    [
        "a\n  b: c",
        "a:\n  b:\n    c: d",
        "a:\n  b: 1",
        "a: |-\n  b",
        "a: |\n  b\n\n  c",
        "a: |\n  b\n c",
        "a: >\n  b\n   c",
        "a: b\n  c",
        "a: No",
        "a: 1.0",
        "a: 1",
        "a: 2026-01-02",
        "a: 0xAB",
        "a: 1:30",
        'a: "b\\"',
        "a: [b]",
        "a: b # c",
        "a: b: c",
        "a:",
        "a: |",
        "  a: b",
        "- a: b",
        'a: "\\n"',
        "a: 'b' c",
        "",
        "a",
    ],
)
def test_other_lines_are_left_to_pyyaml(line):
    assert read_plain(f"name: owl\n{line}\nsize: small") is None


def test_repeated_key_is_left_to_pyyaml():
    assert read_plain("name: owl\nname: eagle") is None
