"""Test that no failing system call loses anything: some of the faults of `benchmarks/faults.py`."""

import shutil
import subprocess

import pytest

from tests.faults.attacks import attack


def why_not() -> str | None:
    if not shutil.which("strace"):
        return "strace is not installed"
    tried = subprocess.run(
        ["strace", "-e", "inject=fsync:error=EIO", "true"], capture_output=True, text=True, check=False
    )
    return f"strace cannot trace here: {tried.stderr.strip()[-100:]}" if tried.returncode else None


@pytest.mark.slow
def test_failed_system_call_is_recovered_and_rolled_back():
    if reason := why_not():
        pytest.skip(reason)
    done = attack("benchmarks/faults.py", "--sample", "6", "--seed", "5")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("6 of ")
