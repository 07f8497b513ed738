"""Run the command on failing disks (full, read-only, with a file size limit), and print the problems as JSON.

This is a program (arguments: folder, scenarios). Scenarios that mount use a mount namespace, so no mount remains.
After each failure the disk is repaired, a command continues the run, and all fixes are rolled back.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.attack import (
    TIDES,
    Bench,
    CommandResult,
    Reference,
    check_rollback,
    hash_files,
    inspect,
    measure_reference,
    roll_back_all,
)

EXPECTED_CODES = (0, 1, 2, 4)
SIZES = (*range(40, 216, 32), 512)
LIMITS = (1, 300, 5_000, 15_000, 40_000)


def mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)


def check_next_command(bench: Bench, expected: Reference, result: CommandResult) -> list[str]:
    """Return the problems after a failure and after the next command, which runs on a working disk."""
    _, problems = inspect(bench, expected)
    if result.code not in EXPECTED_CODES:
        problems.append(f"exit {result.code}: {result.output.strip()[-300:]}")
    work = "work" if (bench.work / "state.json").exists() else "work2"
    next_result = bench.call("resume", str(bench.work), "--quiet") if work == "work" else bench.run(work)
    if next_result.code not in EXPECTED_CODES[:2]:
        problems.append(f"then exit {next_result.code}: {next_result.output.strip()[-300:]}")
    return [*problems, *roll_back_all(bench, work), *check_rollback(bench, expected, "work2", "work")]


def run_on_full_disks(bench: Bench) -> Iterator[tuple[CommandResult, list[str]]]:
    """Yield runs on disks of several sizes (in KiB) that contain the skill, the work dir and the registry."""
    expected = measure_reference(bench)
    for size in SIZES:
        mount("-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(bench.folder))
        bench.reset()
        result = bench.run()
        mount("-o", "remount,size=64m", str(bench.folder))
        yield result, check_next_command(bench, expected, result)
        subprocess.run(["umount", str(bench.folder)], check=True)


def run_on_read_only_folders(bench: Bench) -> Iterator[tuple[CommandResult, list[str]]]:
    """Yield runs with a read-only skill and with a read-only work dir."""
    expected = measure_reference(bench)
    for folder in (bench.skill, bench.work):
        bench.reset()
        folder.mkdir(exist_ok=True)
        mount("--bind", str(folder), str(folder))
        mount("-o", "remount,bind,ro", str(folder))
        result = bench.run()
        problems = [] if hash_files(bench.skill) == expected.before else ["a read-only skill was changed"]
        mount("-o", "remount,bind,rw", str(folder))
        yield result, problems + check_next_command(bench, expected, result)
        subprocess.run(["umount", str(folder)], check=True)


def run_with_size_limits(bench: Bench) -> Iterator[tuple[CommandResult, list[str]]]:
    """Yield runs with several limits on the size of a file, in bytes."""
    expected = measure_reference(bench)
    for limit in LIMITS:
        bench.reset()
        set_limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (limit, limit))
        result = bench.call(*bench.build_run_command(), first=set_limit)
        problems = check_message(result) if limit > 1 else []  # the output goes into a limited file, too
        yield result, [*problems, *check_next_command(bench, expected, result)]


def check_message(result: CommandResult) -> list[str]:
    """Return the problem if the message of a run that could not write a file is not one line."""
    lines = [line for line in result.output.splitlines() if not line.startswith("warning: cannot write the event log")]
    is_one_line = len(lines) == 1 and "cannot" in lines[0] and "File too large" in lines[0]
    return [] if is_one_line or result.code != 2 else [f"the message is not one line: {lines}"]


SCENARIOS: dict[str, Callable[[Bench], Iterator[tuple[CommandResult, list[str]]]]] = {
    "full": run_on_full_disks,
    "read-only": run_on_read_only_folders,
    "limited": run_with_size_limits,
}

if __name__ == "__main__":
    bench = Bench(Path(sys.argv[1]) / "bench", TIDES)
    runs = {name: list(SCENARIOS[name](bench)) for name in sys.argv[2:]}
    problems = [problem for of_scenario in runs.values() for _, of_run in of_scenario for problem in of_run]
    codes = {name: [result.code for result, _ in of_scenario] for name, of_scenario in runs.items()}
    print(json.dumps({"codes": codes, "problems": problems}))
