"""Test that any YAML gives a value or a one-line error, in linear time and memory."""

import subprocess
import sys
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from actions.skill.frontmatter import parse_frontmatter
from actions.yaml_reader import YamlError, read_yaml
from tests.growth import grows_at_most, measure_seconds

ROOT = Path(__file__).parents[2]
TOKENS = [
    *"[]{}:,-?&*!|>'\"%@` \n\t#a1~=<.", "- ", "k: ", "? ", "<<: ", "&a ", "*a", "&b ", "*b", "---\n", "...\n", "\n  ", "# c\n",
    "!!int ", "!!float ", "!!bool ", "!!null ", "!!binary ", "!!timestamp ", "!!set ", "!!omap ", "!!pairs ", "!!str ",
    "!!map ", "!!seq ", "!!merge ", "!x ", "!<x> ", "!!python/name:os.system ", "%YAML 1.1\n", "%TAG ! x\n", "{=: 1}",
    "0x", "0x_", "0b1", "1_0", "1:2:3", ":59" * 60, "9" * 5000, "0x" + "f" * 400, "1e400", ".inf", ".nan", "2024-01-01",
    "2024-13-45", "0000-01-01", "2001-12-14t21:59:43.1-99:99", '"\\ud800"', '"\\UFFFFFFFF"', "\0", "\r", "\x85", "\u2028", "\ufeff",
    "\ud800", "\U0001f600", "[" * 60, "- " * 60, "a: {" * 60,
]  # fmt: skip
BILLION_LAUGHS = "a: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{source}'] * 9)}]\n" for source, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("a: x\nb: " + "[" * 30_000, 2, "is nested deeper than 50 levels; reduce the nesting"),
        ("b: " + "{a: " * 51 + "x" + "}" * 51, 1, "is nested deeper than 50 levels; reduce the nesting"),
        ("- " * 30_000, 1, "is nested deeper than 50 levels; reduce the nesting"),
        ("? " * 30_000, 1, "is nested deeper than 50 levels; reduce the nesting"),
        ("\na: 1" + ":1" * 3000, 2, "contains a number that is longer than 100 characters; put it in quotes"),
        ("a: 1" + ":1" * 3000 + ".5", 1, "contains a number that is longer than 100 characters; put it in quotes"),
        ("a: " + "9" * 5000, 1, "contains a number that is longer than 100 characters; put it in quotes"),
        ("a: 0x" + "f" * 5000, 1, "contains a number that is longer than 100 characters; put it in quotes"),
        ("a: 0x_", 1, "contains a value that is not a valid int; put it in quotes"),
        ("a: !!int ''", 1, "contains a value that is not a valid int; put it in quotes"),
        ("a: !!int {=: 1}", 1, "contains a value that is not a valid int; put it in quotes"),
        ("a: !!bool x", 1, "contains a value that is not a valid bool; put it in quotes"),
        ("a: !!timestamp x", 1, "contains a value that is not a valid timestamp; put it in quotes"),
        ("a:\n- 2024-13-45", 2, "contains a value that is not a valid timestamp; put it in quotes"),
        ("? [a]\n: b", 1, "contains a key that is not text; write it as text"),
        ("a: b\n\0", 2, "contains the forbidden character U+0000; remove it"),
        ("a: \ud800", 1, "contains the forbidden character U+D800; remove it"),
        ("a: &x b\nc: *x", 2, "uses a YAML alias; write out the value"),
        ("a\n---\nb", 2, "contains a second document; remove it"),
        ("a: [\n", 2, "is not valid YAML: did not find expected node content; correct it"),
        ("a: !!python/object:x {}", 1, "is not valid YAML: could not determine a constructor for the tag"),
        ("%TAG !a! x\n" * 101 + "--- a", 101, "has more than 100 lines that begin with %; remove them"),
        ("[" + "a," * 100_000 + "]", 1, "exceeds 100,000 values; shorten it"),
        ("a\n" * 1_000_001, 1_000_001, "exceeds 2,000,000 characters; shorten it"),
    ],
)  # fmt: skip
def test_read_yaml_error_has_problem_line_and_advice(text, line, expected):
    with pytest.raises(YamlError) as error:
        read_yaml(text)
    assert error.value.line == line
    assert str(error.value).startswith(expected)


def test_read_yaml_reads_values_within_the_limits():
    nested_value = read_yaml("[" * 50 + "]" * 50).value
    for _ in range(49):
        (nested_value,) = nested_value
    assert nested_value == []
    assert read_yaml("\ufeffa: 12:30:45\nb: 2024-01-31\nc: 0o7").value == {
        "a": 45045,
        "b": date(2024, 1, 31),
        "c": "0o7",
    }
    assert read_yaml("").value is None


def test_read_yaml_takes_all_keys_as_text():
    assert read_yaml("{on: 1, 1.0: 2, ~: 3, 2024-01-01: 4, =: 5, <<: {7: 6}}").value == {
        "on": 1, "1.0": 2, "~": 3, "2024-01-01": 4, "=": 5, "7": 6,
    }  # fmt: skip


def test_read_yaml_counts_an_alias_as_its_value():
    text_with_merge_key = "a: &a {x: 1}\nb: {<<: *a, y: *a}"
    assert read_yaml(text_with_merge_key, allows_aliases=True).value == {"a": {"x": 1}, "b": {"x": 1, "y": {"x": 1}}}
    chain = "- &a0 [x]\n" + "".join(f"- &a{number + 1} [*a{number}]\n" for number in range(400))
    for text, expected in [
        (BILLION_LAUGHS, "exceeds 100,000 values"),
        (chain, "is nested deeper than 50 levels"),
        ("&a [*a]", "uses a YAML alias"),
        ("[&a 1, &a [*a]]", "uses a YAML alias"),
        ("*a", "uses a YAML alias"),
    ]:
        with pytest.raises(YamlError, match=expected):
            read_yaml(text, allows_aliases=True)


def test_find_line_returns_the_nearest_part():
    document = read_yaml("a: x\nb:\n- c\n- d: e\n")
    steps = (["b", "1", "d"], ["b", "0"], ["b", "7", "x"], ["z"], [])
    assert [document.find_line(step) for step in steps] == [4, 3, 3, 1, 1]
    assert read_yaml("").find_line(["a"]) == 1


@settings(max_examples=200)
@given(st.lists(st.sampled_from(TOKENS) | st.text(max_size=3), max_size=40).map("".join), st.booleans())
def test_any_text_gives_a_value_or_one_line_of_error(text, allows_aliases):
    try:
        repr(read_yaml(text, allows_aliases=allows_aliases).value)
    except YamlError as error:
        assert "\n" not in str(error)
        assert 1 <= error.line <= len(text) + 1
    head = parse_frontmatter(("---", *text.split("\n"), "---"))
    assert all(isinstance(head.text(key), str) for key in head.values)
    assert "\n" not in (head.error or "")


SCALARS = (
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False) | st.dates() | st.text()
)


@settings(max_examples=100)
@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20))
def test_read_yaml_gives_the_value_that_pyyaml_gives(value):
    text = yaml.safe_dump(value, allow_unicode=True)
    assert read_yaml(text).value == yaml.safe_load(text)


SHAPES = {
    "flow nesting": lambda size: "[" * size,
    "lines of nesting": lambda size: "[\n" * (size // 2),
    "block nesting": lambda size: "- " * (size // 2),
    "keys of one hash": lambda size: "{" + ",".join(f"{n * (2**61 - 1)}: 1" for n in range(size // 26)) + "}",
    "merge keys": lambda size: "a: {" + "<<: {}, " * (size // 8) + "}",
    "merges in merges": lambda size: "a: " + "{<<: " * 45 + "{" + "k: 1," * (size // 5) + "}" * 46,
    "tags": lambda size: "".join(f"%TAG !{n}! a\n" for n in range(size // 14)) + "--- x",
    "base 60": lambda size: "a: 1" + ":1" * (size // 2),
    "anchors": lambda size: "".join(f"- &a{n} x\n" for n in range(size // 10)),
    "aliases": lambda size: "- &a x\n" + "- *a\n" * (size // 5),
    "text": lambda size: "a: |\n" + " x\n\n" * (size // 4),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_read_yaml_time_grows_linearly(shape):
    def measure(size):
        text = shape(size)

        def read():
            with suppress(YamlError):
                read_yaml(text, allows_aliases=True)

        return measure_seconds(read)

    assert grows_at_most(measure, 30_000, 120_000, factor=9)


def test_loader_without_c_is_bounded_too():
    code = "import yaml; del yaml.CSafeLoader\nfrom actions.yaml_reader import read_yaml\nread_yaml('[' * 30_000)"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.stderr.endswith("YamlLimitError: is nested deeper than 50 levels; reduce the nesting\n")


def test_only_one_file_reads_yaml():
    program = [
        path
        for folder in ("actions", "orchestrator", "schemas", "templates", "docs")
        for path in (ROOT / folder).rglob("*.py")
    ]
    readers = [
        path.name
        for path in program
        if {"import yaml", "from yaml"} & {line[:11].rstrip() for line in path.read_text().splitlines()}
    ]
    assert sorted(readers) == ["yaml_reader.py", "yaml_writer.py"]
