"""Measure the wall time of commands, also as multiples of an empty Python in the same run.

    python benchmarks/startup.py [ROUNDS]

Prints medians. The cases are interleaved, so that a busy machine slows all of them equally.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "release-notes"
TUNE = [sys.executable, str(ROOT / "tune_skill.py")]
CASES = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "--version": [*TUNE, "--version"],
    "--help": [*TUNE, "--help"],
    "run --help": [*TUNE, "run", "--help"],
    "diagnose --no-cache": [*TUNE, "diagnose", str(EXAMPLE), "--no-cache"],
    "diagnose, from the cache": [*TUNE, "diagnose", str(EXAMPLE)],
    "diagnose --format json": [*TUNE, "diagnose", str(EXAMPLE), "--format", "json"],
}
LIMITS = {"--help": 0.150, "diagnose --no-cache": 0.400}
"""Maximum number of seconds of a case on a current machine."""


def measure(rounds: int) -> dict[str, float]:
    """Return the median time of each case in seconds."""
    times: dict[str, list[float]] = {name: [] for name in CASES}
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "HOME": home, "XDG_STATE_HOME": home, "XDG_CACHE_HOME": home}
        for _ in range(rounds + 1):
            for name, command in CASES.items():
                began = time.perf_counter()
                process = subprocess.run(command, cwd=home, env=env, stdout=subprocess.DEVNULL, check=False)
                if process.returncode not in (0, 1):
                    raise SystemExit(f"{name}: exit {process.returncode}")
                times[name].append(time.perf_counter() - began)
    return {name: median(values[1:]) for name, values in times.items()}


def main() -> None:
    """Print milliseconds and multiples."""
    medians = measure(int(sys.argv[1]) if sys.argv[1:] else 15)
    base = medians["python -c pass"]
    for name, value in medians.items():
        limit = f"   limit {LIMITS[name] * 1000:.0f} ms" if name in LIMITS else ""
        print(f"{name:24} {value * 1000:7.1f} ms  {value / base:5.1f}x{limit}")


if __name__ == "__main__":
    main()
