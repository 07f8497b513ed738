"""Test that the output does not depend on Python's hash seed."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_output_is_independent_of_the_hash_seed():
    def diagnose_with_seed(seed):
        command = [sys.executable, str(ROOT / "tune_skill.py"), "diagnose", "tests/data/planted", "--format", "json"]
        env = {**os.environ, "PYTHONHASHSEED": seed}
        return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, check=False).stdout

    expected = diagnose_with_seed("1")
    assert b"postmortem" in expected
    assert {diagnose_with_seed(seed) for seed in ("2", "3")} == {expected}
