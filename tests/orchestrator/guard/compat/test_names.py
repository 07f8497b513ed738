"""Import the names that documents of other tools use from where docs/reference.md says."""

import re
from importlib import import_module
from pathlib import Path

import pytest

REFERENCE = Path(__file__).parents[4] / "docs" / "reference.md"
ROWS = re.findall(r"^\| `(orchestrator\.[\w.]+)`[^|]*\| (.+) \|$", REFERENCE.read_text(), re.MULTILINE)


@pytest.mark.parametrize(("module", "names"), ROWS, ids=[module for module, _ in ROWS])
def test_documented_names_can_be_imported(module, names):
    found = re.findall(r"`(\w+)`", names)
    assert found
    assert [name for name in found if not hasattr(import_module(module), name)] == []
