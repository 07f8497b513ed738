"""Test that a full or read-only disk, or a limit for files, stops a run without loss; see `disks.py`."""

import json
import shutil
import subprocess

import pytest

from tests.faults.attacks import attack

NAMESPACES = (("unshare", "--mount"), ("unshare", "--map-root-user", "--mount"))


def own_mounts() -> tuple[str, ...]:
    """Return the command that starts a program in its own mount namespace."""
    if not shutil.which("unshare"):
        pytest.skip("unshare is not installed")
    for words in NAMESPACES:
        tried = subprocess.run([*words, "mount", "-t", "tmpfs", "tmpfs", "/tmp"], capture_output=True, check=False)
        if not tried.returncode:
            return words
    pytest.skip("mounting needs root or a user namespace")


def refusals(folder, scenario, under=()):
    done = attack("tests/faults/disks.py", str(folder), scenario, under=under)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["problems"] == []
    return result["codes"]


@pytest.mark.slow
def test_full_disk_stops_a_run_that_can_resume(tmp_path):
    codes = refusals(tmp_path, "full", under=own_mounts())
    assert codes[0] == 2
    assert codes[-1] == 0


def test_unwritable_skill_or_work_dir_stops_a_run(tmp_path):
    assert refusals(tmp_path, "read-only", under=own_mounts()) == [2, 2]


@pytest.mark.slow
def test_file_size_limit_stops_a_run_that_can_resume(tmp_path):
    codes = refusals(tmp_path, "limited")
    assert codes[0] == 2
    assert codes[-1] == 0
