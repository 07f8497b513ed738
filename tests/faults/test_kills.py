"""A run that is killed at any moment loses nothing: eight of the kills that `benchmarks/kills.py` does."""

import pytest

from tests.faults.attacks import attack


@pytest.mark.slow
def test_a_killed_run_is_recovered_finished_and_can_be_taken_back():
    done = attack("benchmarks/kills.py", "8", "5")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("8 kills")
