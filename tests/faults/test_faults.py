"""Test that no kill and no failing disk call loses data, with a sample of the faults in `benchmarks/faults.py`."""

import shutil
import sys

import pytest

from tests.faults.attacks import run_attack


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("cc"), reason="needs Linux and a C compiler")
def test_killed_and_failing_commands_recover():
    result = run_attack(
        "benchmarks/faults.py", "--kills", "2", "--errors", "1", "--only", "skill", "install", "--seed", "5"
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "| rollback, skill | 2 | 1 | 1 | 1 | 0 |" in result.stdout
