"""Provide a folder with many small skills, and a store of results beside it."""

import pytest

from orchestrator.engine.units import ScanOptions
from orchestrator.fleet.result_store import ResultStore
from orchestrator.fleet.scan_task import find_skills, make_task

SKILL_TEXT = """---
name: {name}
description: Counts birds on a shore. Use when birds are to be counted.
---

# Count

Count each bird once.
{text}
"""


@pytest.fixture
def write_skills(tmp_path):
    """Return a function that writes `count` skills; `texts` maps the names of some to additional text."""

    def write(count, **texts):
        for number in range(count):
            name = f"s{number:03d}"
            folder = tmp_path / "flock" / name
            folder.mkdir(parents=True)
            (folder / "SKILL.md").write_text(SKILL_TEXT.format(name=name, text=texts.get(name, "")))
        return tmp_path / "flock"

    return write


@pytest.fixture
def tasks():
    """Return the scan tasks for a folder."""
    return lambda folder: [make_task(path, ScanOptions()) for path in find_skills([str(folder)])[0]]


@pytest.fixture
def store(tmp_path):
    """Yield an open store of results."""
    with ResultStore(tmp_path / "results.jsonl") as open_store:
        yield open_store
