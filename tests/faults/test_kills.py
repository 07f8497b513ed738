"""Test that a run killed at any moment loses nothing: eight of the kills of `benchmarks/kills.py`."""

import pytest

from tests.faults.attacks import attack


@pytest.mark.slow
@pytest.mark.parametrize("what", ["skill", "unit"])
def test_killed_run_is_recovered_and_rolled_back(what):
    done = attack("benchmarks/kills.py", "8", "5", what)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("8 kills")
