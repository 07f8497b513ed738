"""Test that the next command repairs a skill after a kill at any moment."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


@pytest.mark.slow
@pytest.mark.parametrize("name", ["apply", "apply a second fix", "undo", "roll back", "recover", "recover a rollback"])
def test_kill_at_any_moment_leaves_each_fix_whole_or_absent(tmp_path, name):
    """Test a skill, and another unit of one file."""
    run = subprocess.run(
        [sys.executable, str(FOLDER / "crash.py"), str(tmp_path), name, "", "SKILL.md"],
        env={"PYTHONPATH": str(FOLDER.parents[3]), "XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    results = json.loads(run.stdout)
    assert [result["problems"] for result in results] == [[], []]
    assert all(result["kills"] > 3 for result in results)
