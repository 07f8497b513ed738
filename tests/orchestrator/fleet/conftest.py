"""A fleet of small skills in a folder, and the store beside it."""

import pytest

from orchestrator.engine.units import ScanOptions
from orchestrator.fleet.parcels import parcel_of, skills_in
from orchestrator.fleet.store import ResultStore

TEXT = """---
name: {name}
description: Counts birds on a shore. Use when birds are to be counted.
---

# Count

Count each bird once.
{more}
"""


@pytest.fixture
def flock(tmp_path):
    """Make skills: how many, and what some of them say besides, by number."""

    def make(count, **more):
        for number in range(count):
            name = f"s{number:03d}"
            folder = tmp_path / "flock" / name
            folder.mkdir(parents=True)
            (folder / "SKILL.md").write_text(TEXT.format(name=name, more=more.get(name, "")))
        return tmp_path / "flock"

    return make


@pytest.fixture
def parcels():
    """Give the parcels of a folder."""
    return lambda folder: [parcel_of(path, ScanOptions()) for path in skills_in([str(folder)])]


@pytest.fixture
def store(tmp_path):
    """An open store."""
    with ResultStore(tmp_path / "results.jsonl") as opened:
        yield opened
