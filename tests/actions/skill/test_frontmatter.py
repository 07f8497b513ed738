"""Test that hostile frontmatter is recorded as an error and never raises an exception."""

import pytest

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
