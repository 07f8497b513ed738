"""Start an attack in a separate process, because it forks, which a process with threads (as of tests) must not do."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_attack(program: str, *words: str, under: tuple[str, ...] = ()) -> "subprocess.CompletedProcess[str]":
    line = [*under, sys.executable, str(ROOT / program), *words]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=500)
