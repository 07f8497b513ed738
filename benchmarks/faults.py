"""Make disk calls of commands fail, one in each process, and check whether anything is lost. Needs Linux and `cc`.

    ./dev bench faults [--kills N] [--errors N] [--only COMMAND …] [--seed N]

Each case is a fork of this process, which has imported everything. A random call that changes a file or a folder gets a
fault: SIGKILL before the call or after half of a write; ENOSPC, for all later calls; EIO, once; or a short write. Then
the next command recovers, and the checks of the target report what was lost. `--kills` and `--errors` are the numbers
of cases per command: kills, and errors of each kind. The model of trials and improvements is scripted; its paid calls
are recorded outside of the process.
"""

import argparse
import ctypes
import gc
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from benchmarks.attack import CommandResult
    from benchmarks.targets import Target

KINDS = {"kill": 1, "ENOSPC": 2, "EIO": 3, "short write": 4}
"""The faults, by their numbers in disk_faults.c."""
_CALLS = {"kill": "", "ENOSPC": "owmlc", "EIO": "", "short write": "w"}
"""The letters of the calls that can get a fault; "": all calls."""


class Disk:
    """The loaded library that counts disk calls and makes one fail."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(os.environ["LD_PRELOAD"])
        self._library.read_letters.restype = ctypes.c_char_p

    def arm(self, number: int = 0, kind: str = "kill") -> None:
        """Count the calls of this process from now on; the `number`-th call gets a fault (0: no call)."""
        self._library.arm_fault(ctypes.c_long(number), KINDS[kind])

    def read_letters(self) -> str:
        """Return a letter for each counted call since `arm`."""
        return str(self._library.read_letters().decode())


@dataclass(frozen=True)
class Case:
    """The result of a fault: the command's exit code, the letter of the call (`-`: not reached), and the problems."""

    command: str
    kind: str
    number: int
    code: int
    call: str
    problems: tuple[str, ...]


def draw_faults(letters: str, counts: Mapping[str, int], draw: random.Random) -> Iterator[tuple[str, int]]:
    """Yield (kind, call number) for this many faults of each kind; no call is repeated until all have had a fault."""
    for kind, count in counts.items():
        numbers = [n for n, letter in enumerate(letters, 1) if letter in (_CALLS[kind] or letter)]
        drawn: list[int] = []
        while len(drawn) < count:
            drawn += draw.sample(numbers, min(len(numbers), count - len(drawn)))
        yield from ((kind, number) for number in drawn)


def try_fault(disk: Disk, target: "Target", kind: str, number: int, turn: int) -> Case:
    """Make one call of the target's command fail, and return the problems. turn: selects the way to recover."""
    target.restore()
    outcome = target.start(lambda: disk.arm(number, kind))
    letters = disk.read_letters()
    problems = [*_check_end(outcome, kind), *target.find_problems(turn)]
    call = letters[number - 1] if number <= len(letters) else "-"
    return Case(target.name, kind, number, outcome.code, call, tuple(problems))


def _check_end(outcome: "CommandResult", kind: str) -> Iterator[str]:
    if outcome.code in (5, 70) or (outcome.code < 0 and kind != "kill") or "Traceback" in outcome.output:
        yield f"the command ended with {outcome.code}: {outcome.output.strip()[-300:]}"


def try_target(disk: Disk, target: "Target", counts: Mapping[str, int], draw: random.Random) -> Iterator[Case]:
    """Yield the cases of one command."""
    target.restore()
    outcome = target.start(disk.arm)
    letters = disk.read_letters()
    if problems := [*_check_end(outcome, ""), *target.find_problems(0)]:
        raise SystemExit(f"{target.name} without a fault: exit {outcome.code}: {problems}: {outcome.output[-500:]}")
    print(f"{target.name}: {len(letters)} calls: {dict(Counter(letters))}", flush=True)
    for turn, (kind, number) in enumerate(draw_faults(letters, counts, draw)):
        yield try_fault(disk, target, kind, number, turn)


def format_table(cases: Sequence[Case]) -> Iterator[str]:
    """Yield a row for each command: the faults of each kind that occurred, and the cases with a problem."""
    yield f"| Command | {' | '.join(KINDS)} | Problems |"
    yield "|---|" + "---:|" * (len(KINDS) + 1)
    for name in dict.fromkeys(case.command for case in cases):
        own_cases = [case for case in cases if case.command == name]
        occurred = Counter(case.kind for case in own_cases if case.call != "-")
        numbers = " | ".join(f"{occurred[kind]:,}" for kind in KINDS)
        yield f"| {name} | {numbers} | {sum(bool(case.problems) for case in own_cases)} |"


def load_library(folder: Path) -> None:
    """Restart this program with the library that makes calls fail, unless it is loaded."""
    if "disk_faults" not in os.environ.get("LD_PRELOAD", ""):
        library = folder / "disk_faults.so"
        source = Path(__file__).with_name("disk_faults.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        code = subprocess.run([sys.executable, *sys.argv], env={**os.environ, "LD_PRELOAD": str(library)}, check=False)
        raise SystemExit(code.returncode)


def main() -> int:
    """Print the problems as they are found, then a table; return 1 if there is any problem."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--errors", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=())
    options = parser.parse_args()
    counts = {kind: options.kills if kind == "kill" else options.errors for kind in KINDS}
    cases: list[Case] = []
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        load_library(Path(folder))
        from benchmarks.targets import open_targets  # not before, because it imports everything

        disk, draw, began = Disk(), random.Random(options.seed), time.monotonic()
        targets = open_targets(Path(folder).resolve(), options.only)
        gc.freeze()
        for target in targets:
            for case in try_target(disk, target, counts, draw):
                cases.append(case)
                for problem in case.problems:
                    print(f"{case.command}, {case.kind} at call {case.number} ({case.call}): {problem}", flush=True)
            print(f"{len(cases)} cases after {time.monotonic() - began:.0f} s", flush=True)
    print("\n".join(format_table(cases)))
    return int(any(case.problems for case in cases))


if __name__ == "__main__":
    sys.exit(main())
