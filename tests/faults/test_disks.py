"""A disk that is full or read-only, or a limit for files, stops a run and loses nothing; see `disks.py`."""

import json
import shutil
import subprocess

import pytest

from tests.faults.attacks import attack

NAMESPACES = (("unshare", "--mount"), ("unshare", "--map-root-user", "--mount"))


def own_mounts() -> tuple[str, ...]:
    """Give the words that start a program which may mount, in a namespace of its own."""
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
def test_a_full_disk_stops_a_run_and_with_more_space_it_goes_on(tmp_path):
    codes = refusals(tmp_path, "full", under=own_mounts())
    assert codes[0] == 2
    assert codes[-1] == 0


def test_a_skill_or_a_work_dir_that_cannot_be_written_stops_a_run(tmp_path):
    assert refusals(tmp_path, "read-only", under=own_mounts()) == [2, 2]


@pytest.mark.slow
def test_a_limit_for_the_size_of_files_stops_a_run_and_without_it_the_run_goes_on(tmp_path):
    codes = refusals(tmp_path, "limited")
    assert codes[0] == 2
    assert codes[-1] == 0
