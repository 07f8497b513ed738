"""A run that is killed at any moment loses nothing: a dozen of the kills that `benchmarks/kills.py` does."""

import pytest

from benchmarks.kills import kills


@pytest.mark.slow
def test_a_killed_run_is_recovered_finished_and_can_be_taken_back(tmp_path):
    reference, all_kills = kills(tmp_path, 12, seed=5)
    assert reference.fixes >= 4
    assert reference.after != reference.before
    assert [(kill.stood, problem) for kill in all_kills for problem in kill.problems] == []
