"""The real Claude Code with the real tune-skill; only the model is scripted. Each test has its own machine."""

import pytest

from tests.e2e.machine import Machine


@pytest.fixture
def machine(tmp_path):
    """A fresh home, temporary folder, PATH and project, under names that quoting must get right."""
    return Machine(tmp_path)
