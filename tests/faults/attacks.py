"""Starts an attack in a process of its own: it forks, which a process with threads, as of the tests, must not."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def attack(program: str, *words: str, under: tuple[str, ...] = ()) -> "subprocess.CompletedProcess[str]":
    line = [*under, sys.executable, str(ROOT / program), *words]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=500)
