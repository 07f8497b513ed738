"""Test that frontmatter is read as Claude Code reads it, and that hostile text never raises an exception."""

import pytest

from actions.project.frontmatter import find_early_end, find_frontmatter_fault, find_repeated_keys


def make_frontmatter(block):
    return f"---\n{block}\n---\n"


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ('name: a\ndescription: "b" c', 3),
        ("name: a\nb\nc: d", 3),
        ("name: a\nother:\n  x: y: z", 4),
    ],
)
def test_fault_names_the_line(block, line):
    fault = find_frontmatter_fault(make_frontmatter(block))
    assert fault and fault.line == line


def test_windows_line_ends_are_not_a_fault():
    assert find_frontmatter_fault(make_frontmatter("name: a\ndescription: b: c").replace("\n", "\r\n")) is None


def test_early_end_names_the_line():
    end = find_early_end(make_frontmatter("name: a\ndescription: b --- c\ntools: d"))
    assert end and end.line == 3


def test_repeated_keys_are_those_of_the_top_level():
    text = make_frontmatter("a: 1\nb:\n  a: 2\n  c: {a: 1}\nd: [a, a]\n? e\n: a\nf: a\na: b: c\nb: 1")
    assert [(key.key, key.line, key.first_line) for key in find_repeated_keys(text)] == [("a", 10, 2), ("b", 11, 3)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n---\n",
        "x",
        make_frontmatter("["),
        make_frontmatter("[" * 60_000),
        make_frontmatter("a: \x00"),
        make_frontmatter("&a " * 9000),
        "---\n" * 9000,
    ],
    ids=range(9),
)
def test_malformed_text_raises_no_exception(text):
    find_frontmatter_fault(text)
    find_early_end(text)
    list(find_repeated_keys(text))
