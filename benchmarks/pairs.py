"""Measure the CPU of `diagnose --no-cache` beside other checkouts: the ratios hold where the times do not.

    python benchmarks/pairs.py FOLDER... [--against CHECKOUT...] [--rounds N]

Each round runs every checkout once on a folder, one right after the other, and an empty Python. The figures are medians
of the CPU seconds of whole processes with their children, and the lowest in parentheses.
"""

import argparse
import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
ENV = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def measure_cpu(*arguments: str) -> float:
    """Return the CPU seconds of a Python process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], env=ENV, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def print_row(folder: Path, checkouts: list[Path], rounds: int) -> None:
    """Print the times for a folder as a row of a Markdown table, this checkout last, then its ratio to the others."""
    commands = [(str(one / "tune_skill.py"), "diagnose", "--no-cache", str(folder)) for one in checkouts]
    for command in commands:
        measure_cpu(*command)  # writes the bytecode
    found = [[measure_cpu(*command) for command in [("-c", "pass"), *commands]] for _ in range(rounds)]
    columns = [*zip(*found, strict=True)]
    middles = [median(column) for column in columns]
    cells = [f"{middle:.3f} ({min(column):.3f})" for middle, column in zip(middles, columns, strict=True)]
    ratios = [f"{middles[-1] / middle:.2f}" for middle in middles[:-1]]
    print(f"| {folder.name} | {' | '.join((*cells, *ratios))} |", flush=True)


def main() -> None:
    """Print a table with a row per folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--against", nargs="*", type=Path, default=[], metavar="CHECKOUT")
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    checkouts = [*given.against, ROOT]
    names = ["`python -c pass`", *(one.name for one in checkouts)]
    heads = ["", *names, *(f"× {name}" for name in names[:-1])]
    print(f"| {' | '.join(heads)} |\n|---|{'---:|' * (len(heads) - 1)}")
    for folder in given.folders:
        print_row(folder, checkouts, given.rounds)
    print("load", *os.getloadavg())


if __name__ == "__main__":
    main()
