"""A writer that is killed at any moment leaves a skill that the next command makes whole."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    top = tmp_path_factory.mktemp("crash")
    run = subprocess.run(
        [sys.executable, str(HERE / "crash.py"), str(top)],
        env={"PYTHONPATH": str(HERE.parents[2]), "XDG_STATE_HOME": str(top / "state"), "HOME": str(top)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize(
    "name", ["apply", "apply a second fix", "undo", "roll back", "recover", "recover a rollback"]
)
def test_after_a_kill_at_any_moment_each_fix_is_there_whole_or_not_at_all(results, name):
    assert results[name]["problems"] == []
    assert results[name]["kills"] > 10
