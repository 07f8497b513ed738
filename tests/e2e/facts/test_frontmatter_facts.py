"""Frontmatter that is reported as unreadable is that which Claude Code drops."""

import re

from actions.project.frontmatter import find_early_end, find_frontmatter_fault, find_repeated_keys
from tests.e2e.facts.claude_cli import validate, write_tree

MANIFEST = {"name": "probe", "version": "1.0.0", "description": "A probe.", "author": {"name": "a"}}
READ = (
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
    "a:\n  - b: c: d",
    'a: "b\nc: d',
)


def wrap(block):
    return f"---\n{block}\n---\n\nDo it.\n"


def test_faults_are_those_that_claude_reports(tmp_path):
    files = {f"commands/c{n}.md": wrap(block) for n, block in enumerate((*READ, *DROPPED))}
    report = validate(write_tree(tmp_path / "probe", {".claude-plugin/plugin.json": MANIFEST, **files}), tmp_path)
    dropped = {
        int(re.findall(r"\d+", part["file"])[-1])
        for part in report["contents"]
        if any("failed to parse" in error["message"] for error in part["errors"])
    }
    assert dropped == set(range(len(READ), len(READ) + len(DROPPED)))
    assert [block for block in READ if find_frontmatter_fault(wrap(block))] == []
    assert [block for block in DROPPED if not find_frontmatter_fault(wrap(block))] == []


def test_dashes_in_a_value_end_the_frontmatter(tmp_path):
    early, whole = wrap("description: a --- b\nname: lost"), wrap("description: a -- b\nname: kept")
    files = {".claude-plugin/plugin.json": MANIFEST, "agents/one.md": early, "agents/two.md": whole}
    report = validate(write_tree(tmp_path / "probe", files), tmp_path)
    assert report["provides"]["agents"] == ["probe:kept", "probe:one"]
    assert find_early_end(early)
    assert not find_early_end(whole)


def test_last_of_two_equal_keys_counts(tmp_path):
    twice = wrap("name: first\ndescription: a\nname: last")
    files = {".claude-plugin/plugin.json": MANIFEST, "agents/one.md": twice}
    report = validate(write_tree(tmp_path / "probe", files), tmp_path)
    assert report["provides"]["agents"] == ["probe:last"]
    assert [key.key for key in find_repeated_keys(twice)] == ["name"]
