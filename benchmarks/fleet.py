"""Measure the cost of a fleet scan by number of skills, and with one and two processes.

    python benchmarks/fleet.py [FOLDER] [--most N]

FOLDER holds skills (default: the examples); they are copied and renamed until there are enough. Wall times depend on
the load of the machine. CPU seconds are the sum over all processes.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from orchestrator.project.skill_finder import find_skills_below  # noqa: E402

EXAMPLES = ROOT / "examples"
COUNTS = (10, 100, 1_000, 10_000)
_NAME = re.compile(rb"^(name:\s*).*$", re.MULTILINE)


@dataclass(frozen=True)
class Cost:
    """The cost of one fleet: seconds, megabytes of its largest process, bytes of its store."""

    skills: int
    looked: int
    wall: float
    cpu: float
    memory: float
    store: int


def copy_skills(folder: Path, count: int, target: Path) -> Path:
    """Copy the skills of a folder repeatedly, each under a new name; return `target`."""
    for number, root in enumerate(islice(cycle(find_skills_below(folder)), count)):
        copy = target / f"s{number:05d}"
        shutil.copytree(root, copy)
        main = copy / "SKILL.md"
        main.write_bytes(_NAME.sub(rb"\g<1>" + copy.name.encode(), main.read_bytes(), count=1))
    return target


def measure(folder: Path, store: Path, jobs: int) -> Cost:
    """Run the command over a folder. Raises SystemExit if it fails."""
    command = [sys.executable, str(ROOT / "tune_skill.py"), "fleet", str(folder), "--jobs", str(jobs), "--quiet"]
    command += ["--store", str(store), "--format", "json"]
    began = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        out.seek(0)
        result = json.loads(out.read())
    if os.waitstatus_to_exitcode(status) > 1 or result["failed"]:
        raise SystemExit(f"the fleet failed: {status} {result['failed'][:3]}")
    largest = max(used.ru_maxrss, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1024
    return Cost(result["skills"], result["looked"], wall, used.ru_utime + used.ru_stime, largest, store.stat().st_size)


def measure_growth(folder: Path, counts: tuple[int, ...], jobs: int, temp: Path) -> list[tuple[Cost, Cost]]:
    """Return, for each count, the cost of a first run, and of a second one with all results in the store."""
    costs = []
    for count in counts:
        skills, store = copy_skills(folder, count, temp / str(count)), temp / f"{count}-{jobs}.jsonl"
        costs.append((measure(skills, store, jobs), measure(skills, store, jobs)))
    return costs


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=EXAMPLES)
    parser.add_argument("--most", type=int, default=1_000, help="skip larger counts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        temp = Path(name)
        print("skills     wall s    CPU s  ms CPU/skill  skills/s  largest MB  store MB   again: wall s")
        for first, second in measure_growth(options.folder, tuple(c for c in COUNTS if c <= options.most), 2, temp):
            columns = f"{first.skills:>6,}{first.wall:>11.1f}{first.cpu:>9.1f}{first.cpu / first.skills * 1000:>14.1f}"
            rate = f"{first.skills / first.wall:>10.0f}{first.memory:>12.0f}{first.store / 1e6:>10.1f}"
            print(f"{columns}{rate}{second.wall:>17.1f}", flush=True)
        skills = copy_skills(options.folder, 100, temp / "scale")
        single, double = (measure(skills, temp / f"scale-{jobs}.jsonl", jobs) for jobs in (1, 2))
        print(f"100 skills: 2 processes are {single.wall / double.wall:.2f} times as fast as 1 ({single.wall:.1f} s)")


if __name__ == "__main__":
    main()
