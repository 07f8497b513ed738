"""A trial that is killed goes on: nothing is paid twice, no process is left."""

import pytest

from benchmarks.trial_kills import killed


@pytest.mark.slow
def test_a_killed_trial_goes_on_and_pays_nothing_twice(tmp_path):
    done = killed(tmp_path, kills=1, seed=7, tasks=1, runs=2)
    assert done.kills == 1
    assert done.left == []
    assert done.twice == []
    assert done.events["held"] == done.events["graded"] == 4
    assert (done.result["before"]["succeeded"], done.result["after"]["succeeded"]) == (0, 2)
