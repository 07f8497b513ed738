"""Test that hostile frontmatter is recorded as an error and never raises an exception."""

import pytest

from actions.skill.document import list_body_lines, parse_document
from actions.skill.frontmatter import parse_frontmatter


@pytest.mark.parametrize("depth", [60, 1200, 5000])
def test_frontmatter_nested_too_deep_is_invalid(depth):
    head = parse_frontmatter(("---", "name: owl", f"description: {'[' * depth}{']' * depth}", "---"))
    assert head.error
    assert head.text("description") == ""


def test_frontmatter_list_of_lists_has_no_text():
    head = parse_frontmatter(("---", "name: owl", "allowed-tools: [[Read], {Write: [x]}]", "---"))
    assert head.error is None
    assert head.text("allowed-tools") == "[['Read'], {'Write': ['x']}]"


def test_text_after_the_closing_mark_begins_the_body():
    lines = ("---", "name: owl", "--- # Owls", "", "Count.")
    head, doc = parse_frontmatter(lines), parse_document("\n".join(lines))
    assert (dict(head.values), head.error) == ({"name": "owl"}, None)
    assert (head.end, doc.body_start, list_body_lines(lines)) == (3, 3, ("# Owls", "", "Count."))


@pytest.mark.parametrize("lines", [("---", "name: owl", "...", "Count."), ("---", "name: owl --- bird", "Count.")])
def test_other_marks_do_not_close_the_frontmatter(lines):
    assert parse_frontmatter(lines).error == "the opening `---` is never closed"
