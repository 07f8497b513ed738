"""Provide a fleet of small skills in a folder, and a store beside it."""

import pytest

from orchestrator.engine.units import ScanOptions
from orchestrator.fleet.result_store import ResultStore
from orchestrator.fleet.scan_task import find_skills, make_task

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
def tasks():
    """Return the tasks of a folder."""
    return lambda folder: [make_task(path, ScanOptions()) for path in find_skills([str(folder)])[0]]


@pytest.fixture
def store(tmp_path):
    """Yield an open store."""
    with ResultStore(tmp_path / "results.jsonl") as opened:
        yield opened
