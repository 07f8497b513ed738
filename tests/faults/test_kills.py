"""Test that a run killed at any moment loses nothing: four of the kills of `benchmarks/kills.py`."""

import pytest

from tests.faults.attacks import attack


@pytest.mark.slow
@pytest.mark.parametrize("what", ["skill", "unit"])
def test_killed_run_is_recovered_and_rolled_back(what):
    done = attack("benchmarks/kills.py", "4", "5", what)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("4 kills")
