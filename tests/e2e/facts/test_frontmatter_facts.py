"""Test that Claude Code drops exactly the frontmatter that is reported as unreadable."""

import re

import pytest

from actions.project.frontmatter import find_early_end, find_frontmatter_fault, find_repeated_keys
from actions.skill.frontmatter import parse_frontmatter
from tests.e2e.facts.claude_cli import validate, write_tree

pytestmark = pytest.mark.xdist_group("frontmatter facts")
MANIFEST = {"name": "probe", "version": "1.0.0", "description": "A probe.", "author": {"name": "a"}}
READABLE = (
    "description: a: b",
    "description: [a",
    "a: [b, c\nd: e",
    "description: *a",
    "description: `a` & b",
    "argument-hint: [a] [b]",
    "a: &x 1\nb: *x",
    "\tdescription: a",
    "description: a\n\t",
    "description: ,a",
    "description: !a b",
    "a: 1\na: 2",
    "description: 2024-99-99",
)
DROPPED = (
    'description: "a" b',
    "description: 'it's'",
    "description: a\n  b: c",
    "description: a\nb",
    "a.b: c: d",
    "description: |\n  a\nargument-hint: [a] [b]",
    "a:\n  - b: c: d",
    'a: "b\nc: d',
)


LAST_LINES = ("---", "--- # Title", "-----", "---text", "...", "***", "")
"""Lines after a frontmatter, of which some close it."""
UNITS = ("skills/s{}/SKILL.md", "agents/s{}.md", "commands/s{}.md")


def make_document(block):
    return f"---\n{block}\n---\n\nDo it.\n"


DASHES_IN_VALUE, TWO_DASHES_IN_VALUE = (
    make_document("description: a --- b\nname: lost"),
    make_document("description: a -- b\nname: kept"),
)
REPEATED_KEY = make_document("name: first\ndescription: a\nname: last")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Return the validation report of Claude Code on a plugin with three agents."""
    agents = {
        "agents/early.md": DASHES_IN_VALUE,
        "agents/whole.md": TWO_DASHES_IN_VALUE,
        "agents/twice.md": REPEATED_KEY,
    }
    home = tmp_path_factory.mktemp("home")
    return validate(write_tree(home / "probe", {".claude-plugin/plugin.json": MANIFEST, **agents}), home)


def test_faults_are_those_that_claude_reports(tmp_path):
    files = {f"commands/c{n}.md": make_document(block) for n, block in enumerate((*READABLE, *DROPPED))}
    report = validate(write_tree(tmp_path / "probe", {".claude-plugin/plugin.json": MANIFEST, **files}), tmp_path)
    dropped = {
        int(re.findall(r"\d+", part["file"])[-1])
        for part in report["contents"]
        if any("failed to parse" in error["message"] for error in part["errors"])
    }
    assert dropped == set(range(len(READABLE), len(READABLE) + len(DROPPED)))
    assert [block for block in READABLE if find_frontmatter_fault(make_document(block))] == []
    assert [block for block in DROPPED if not find_frontmatter_fault(make_document(block))] == []


def test_dashes_in_a_value_end_the_frontmatter(report):
    assert {"probe:kept", "probe:early"} <= set(report["provides"]["agents"])
    assert find_early_end(DASHES_IN_VALUE)
    assert not find_early_end(TWO_DASHES_IN_VALUE)


def test_last_of_two_equal_keys_counts(report):
    assert set(report["provides"]["agents"]) == {"probe:kept", "probe:early", "probe:last"}
    assert [key.key for key in find_repeated_keys(REPEATED_KEY)] == ["name"]


def test_frontmatter_ends_where_claude_ends_it(tmp_path):
    texts = [f"---\nname: counter\ndescription: Counts.\n{last}\n\nDo it.\n" for last in LAST_LINES]
    files = {unit.format(n): text for n, text in enumerate(texts) for unit in UNITS}
    report = validate(write_tree(tmp_path / "probe", {".claude-plugin/plugin.json": MANIFEST, **files}), tmp_path)
    parts = [(part["file"].partition("/probe/")[2], part["warnings"]) for part in report["contents"]]
    without = {path for path, warnings in parts if any("No frontmatter" in warning["message"] for warning in warnings)}
    unclosed = [n for n, text in enumerate(texts) if not parse_frontmatter(tuple(text.split("\n"))).end]
    assert without == {unit.format(n) for n in unclosed for unit in UNITS}
    assert unclosed == [4, 5, 6]
