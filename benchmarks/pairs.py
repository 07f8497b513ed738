"""Compare the CPU time of `diagnose --no-cache` with other checkouts.

    python benchmarks/pairs.py FOLDER... [--against CHECKOUT...] [--rounds N]

Each round runs an empty Python and every checkout once on a folder, so that ratios are comparable on a busy machine.
Prints the median CPU seconds of processes with their children, and the minimum in parentheses.
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
    commands = [(str(checkout / "tune_skill.py"), "diagnose", "--no-cache", str(folder)) for checkout in checkouts]
    for command in commands:
        measure_cpu(*command)  # writes the bytecode
    rounds_of_seconds = [[measure_cpu(*command) for command in [("-c", "pass"), *commands]] for _ in range(rounds)]
    columns = [*zip(*rounds_of_seconds, strict=True)]
    medians = [median(column) for column in columns]
    cells = [f"{middle:.3f} ({min(column):.3f})" for middle, column in zip(medians, columns, strict=True)]
    ratios = [f"{medians[-1] / middle:.2f}" for middle in medians[:-1]]
    print(f"| {folder.name} | {' | '.join((*cells, *ratios))} |", flush=True)


def main() -> None:
    """Print a table with a row per folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--against", nargs="*", type=Path, default=[], metavar="CHECKOUT")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    checkouts = [*options.against, ROOT]
    names = ["`python -c pass`", *(checkout.name for checkout in checkouts)]
    heads = ["", *names, *(f"× {name}" for name in names[:-1])]
    print(f"| {' | '.join(heads)} |\n|---|{'---:|' * (len(heads) - 1)}")
    for folder in options.folders:
        print_row(folder, checkouts, options.rounds)
    print("load", *os.getloadavg())


if __name__ == "__main__":
    main()
