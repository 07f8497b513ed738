"""Test that the names that other tools document can be imported from the modules in docs/reference.md."""

import re
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path

import pytest

from orchestrator.guard.compat import compaction, macf

REFERENCE = Path(__file__).parents[4] / "docs" / "reference.md"
ROWS = re.findall(r"^\| `(orchestrator\.[\w.]+)`[^|]*\| (.+) \|$", REFERENCE.read_text(), re.MULTILINE)


@pytest.mark.parametrize(("module", "names"), ROWS, ids=[module for module, _ in ROWS])
def test_documented_names_can_be_imported(module, names):
    documented_names = re.findall(r"`(\w+)`", names)
    assert documented_names
    assert [name for name in documented_names if not hasattr(import_module(module), name)] == []


@pytest.mark.parametrize("record", [compaction.CompactionContext, compaction.ValidationResult])
def test_documented_dataclasses_are_dataclasses(record):
    assert is_dataclass(record)


def test_unknown_filters_and_operations_find_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert macf.append_event("phase_changed", {"phase": "verify"})
    assert len(macf.query_events({"event_type": "phase_changed"})) == 1
    assert macf.query_events({"colour": "red"}) == macf.query_events({"breadcrumb": "somewhere"}) == []
    assert macf.query_set_operations([{}], "xor") == macf.query_set_operations([{"colour": 1}], "union") == []
