"""Test that the tests named by the claims in docs/security.md and docs/reference.md exist."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference.md"
_TEST_NAME = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
_ROW = re.compile(r"\| [^|]+ \| `tests/[\w/]+\.py::test_\w+` \| (pass|otherwise: [^|]+ \([^|]*`([\w/]+\.py)`\)) \|")


@pytest.mark.parametrize("page", ["security.md", "reference.md"])
def test_tests_named_by_pages_exist(page):
    test_names = _TEST_NAME.findall((ROOT / "docs" / page).read_text())
    assert test_names
    assert [f"{file}::{test}" for file, test in test_names if f"def {test}(" not in _text(ROOT / file)] == []


def test_reference_behaviours_pass_or_explain_why_not():
    behaviours = REFERENCE.read_text().partition("\n## Where to import")[0]
    rows = [row for row in behaviours.splitlines() if row.startswith("| ") and not row.startswith("| Behav")]
    matches = [_ROW.fullmatch(row) for row in rows]
    assert [row for row, match in zip(rows, matches, strict=True) if not match] == []
    explaining_files = [match[2] for match in matches if match and match[2]]
    assert [file for file in explaining_files if not (ROOT / file).is_file()] == []
    assert f"{len(rows)} behaviours, {len(explaining_files)} otherwise." in REFERENCE.read_text()


def test_reference_lists_all_34_behaviours_of_compaction():
    compaction = REFERENCE.read_text().partition("## Compaction")[2].partition("\n## ")[0]
    assert len(_ROW.findall(compaction)) == 34


@cache
def _text(path):
    return path.read_text() if path.is_file() else ""
