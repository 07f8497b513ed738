"""Test the unified diff of a fix."""

import subprocess
from difflib import unified_diff

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actions.fixes.records import format_diff
from actions.fixes.unified_diff import format_unified_diff
from tests.growth import grows_at_most, measure_seconds

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n"]), max_size=40)


def test_diff_of_a_long_file_changes_only_the_changed_line():
    lines = ["- Count the birds.\n", "\n", "Wait.\n"] * 100
    new_lines = [*lines[:150], "- Count the terns.\n", *lines[151:]]
    diff = format_diff("a.md", "".join(lines).encode(), "".join(new_lines).encode())
    changes = [line for line in diff.splitlines()[2:] if line[0] in "+-"]
    assert changes == ["-- Count the birds.", "+- Count the terns."]


@settings(max_examples=30, deadline=None)
@given(old=TEXTS, new=TEXTS)
def test_git_applies_the_diff(old, new, tmp_path_factory):
    folder = tmp_path_factory.mktemp("diff")
    (folder / "a.md").write_text("".join(old))
    diff = "".join(format_unified_diff(old, new, "a/a.md", "b/a.md"))
    if diff:
        subprocess.run(["git", "apply", "-"], cwd=folder, input=diff.encode(), check=True)
    assert ((folder / "a.md").read_text(), bool(diff)) == ("".join(new), old != new)


@pytest.mark.parametrize("places", [(0,), (3, 10), (3, 11), (50,), (0, 50, 99), (99,)])
def test_hunks_equal_those_of_difflib(places):
    old = [f"line {n}\n" for n in range(100)]
    for new_lines in ([], ["x\n"], ["x\n", "y\n"]):
        new = [text for n, line in enumerate(old) for text in (new_lines if n in places else [line])]
        names = ("a/a.md", "b/a.md")
        assert list(format_unified_diff(old, new, *names)) == list(unified_diff(old, new, *names))


def test_diff_takes_twice_the_time_for_twice_the_lines():
    def measure(many):
        old = ["kept\n" if n % 2 else f"old {n}\n" for n in range(many)]
        new = ["kept\n" if n % 2 else f"new {n}\n" for n in range(many)]
        return measure_seconds(lambda: list(format_unified_diff(old, new, "a", "b")))

    assert grows_at_most(measure, 8_000, 16_000, factor=2.4)
