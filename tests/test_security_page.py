"""The page on security promises nothing that no test holds."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def test_every_test_that_the_page_names_is_there():
    named = _NAMED.findall((ROOT / "docs" / "security.md").read_text())
    assert named
    assert [f"{file}::{test}" for file, test in named if f"def {test}(" not in _text(ROOT / file)] == []


def _text(path):
    return path.read_text() if path.is_file() else ""
