"""Test that a full or read-only disk, or a file size limit, stops a run without data loss (see `disks.py`)."""

import json
import shutil
import subprocess

import pytest

from tests.faults.attacks import run_attack


def get_mount_command() -> tuple[str, ...]:
    """Return the command that starts a program in its own mount namespace, or () if mounting is not allowed."""
    commands = (("unshare", "--mount"), ("unshare", "--map-root-user", "--mount")) if shutil.which("unshare") else ()
    for command in commands:
        process = subprocess.run([*command, "mount", "-t", "tmpfs", "tmpfs", "/tmp"], capture_output=True, check=False)
        if not process.returncode:
            return command
    return ()


@pytest.mark.slow
def test_failing_disks_stop_a_run_that_can_resume(tmp_path):
    """Test a file size limit and, if mounting is allowed, also full disks and a read-only skill and work dir."""
    mount_command = get_mount_command()
    process = run_attack(
        "tests/faults/disks.py",
        str(tmp_path),
        "limited",
        *(("full", "read-only") if mount_command else ()),
        under=mount_command,
    )
    assert process.returncode == 0, process.stderr
    result = json.loads(process.stdout)
    assert result["problems"] == []
    assert result["codes"].pop("read-only", [2, 2]) == [2, 2]
    for codes in result["codes"].values():
        assert (codes[0], codes[-1]) == (2, 0)
