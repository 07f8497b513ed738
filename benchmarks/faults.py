"""Let system calls of the command fail, one at a time, and check whether anything is lost. Needs strace.

    python benchmarks/faults.py [--sample COUNT] [--seed SEED] [--only WORD …]

For each write, fsync, rename, … and its n-th occurrence in a run with three fixes, in a recovery and in a rollback:
EIO, ENOSPC, a short write that lies about its length, SIGKILL. Afterwards every file of the skill holds the bytes of
one of its versions, the backup is whole and the state is readable; the next command (in turn `resume`, a new run,
`rollback --all`) recovers; in the end `rollback --all` gives the original bytes and modes. Without `--sample` every
occurrence is tried, which takes an hour.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.attack import TIDES, Bench, Done, Reference, check_rollback, inspect, reference, roll_back_all

CALLS = (
    "write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,link,linkat,mkdir,mkdirat,rmdir,ftruncate"
)
FAULTS = {"EIO": "error=EIO", "ENOSPC": "error=ENOSPC", "short": "retval=1", "SIGKILL": "signal=KILL"}
WRITES = ("write", "pwrite64")
FIXES = 3
NEXT = ("resume", "a new run", "rollback")


@dataclass(frozen=True)
class Scenario:
    """A command that is attacked, and the folder before it."""

    name: str
    stage: Path
    words: tuple[str, ...]


@dataclass(frozen=True)
class Fault:
    """One fault: the `number`-th `call` of the command of `scenario` meets `kind`."""

    scenario: Scenario
    call: str
    number: int
    kind: str


@dataclass(frozen=True)
class Case:
    """The result of a fault: the exit code of the command, and the problems afterwards."""

    fault: Fault
    code: int
    problems: tuple[str, ...]


def run_traced(bench: Bench, words: Sequence[str], *options: str) -> Done:
    """Run a command under strace with these options."""
    here, there = os.pipe()
    pid = bench.start(*words, first=lambda: os.read(here, 1))
    line = ["strace", "-p", str(pid), *options]
    with subprocess.Popen(line, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as strace:
        assert strace.stderr is not None
        first = strace.stderr.readline()
        if "attached" not in first:
            os.kill(pid, 9)
        os.write(there, b"!")
        strace.stderr.read()
    os.close(here)
    os.close(there)
    done = bench.end_of(pid)
    if "attached" not in first:
        raise SystemExit(f"strace cannot trace a process here: {first.strip()}")
    return done


def calls_of(bench: Bench, scenario: Scenario, log: Path) -> Counter[str]:
    """Count the system calls of a command without faults."""
    restore(bench, scenario.stage)
    run_traced(bench, scenario.words, "-o", str(log), "-e", f"trace={CALLS}")
    return Counter(re.findall(r"^(\w+)\(", log.read_text(), re.MULTILINE))


def restore(bench: Bench, stage: Path) -> None:
    """Restore the bench to its state at `stage`."""
    shutil.rmtree(bench.folder)
    shutil.copytree(stage, bench.folder, symlinks=True)


def scenarios(bench: Bench, stages: Path) -> Iterator[Scenario]:
    """Prepare the attacked commands: a run, the recovery of a killed run, a rollback."""
    resume, rollback = ("resume", str(bench.work), "--quiet"), ("rollback", str(bench.work), "--all")
    bench.fresh()
    yield _prepare(bench, Scenario("run", stages / "fresh", tuple(bench.run_line())))
    for number in range(1, 1000):
        restore(bench, stages / "fresh")
        run_traced(bench, bench.run_line(), *_injection("rename,renameat,renameat2", number, "SIGKILL"))
        if any((bench.skill / name).read_bytes() != data for name, (_, data) in bench.files.items()):
            yield _prepare(bench, Scenario("recovery", stages / "half", resume))
            break
    reference(bench)
    yield _prepare(bench, Scenario("rollback", stages / "tuned", rollback))


def _prepare(bench: Bench, scenario: Scenario) -> Scenario:
    shutil.copytree(bench.folder, scenario.stage, symlinks=True)
    return scenario


def _injection(call: str, number: int, kind: str) -> tuple[str, ...]:
    return "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:{FAULTS[kind]}:when={number}"


def faults(scenario: Scenario, calls: Counter[str]) -> Iterator[Fault]:
    """Return all faults that a command can meet."""
    for call, count in sorted(calls.items()):
        for kind in FAULTS:
            if kind != "short" or call in WRITES:
                yield from (Fault(scenario, call, number, kind) for number in range(1, count + 1))


def try_fault(bench: Bench, known: Reference, fault: Fault) -> Case:
    """Inject one fault, run the next command, roll everything back, and return the problems."""
    restore(bench, fault.scenario.stage)
    done = run_traced(bench, fault.scenario.words, *_injection(fault.call, fault.number, fault.kind))
    phase, problems = inspect(bench, known)
    if done.code in (5, 70) or (done.code < 0 and fault.kind != "SIGKILL"):
        problems.append(f"it ended with {done.code}: {done.said.strip()[-300:]}")
    problems += gone_on(bench, NEXT[fault.number % len(NEXT)] if phase != "before the first state" else "a new run")
    problems += check_rollback(bench, known, "work2", "work")
    return Case(fault, done.code, tuple(problems))


def gone_on(bench: Bench, command: str) -> list[str]:
    """Run the next command, and return the problems in its files."""
    match command:
        case "resume":
            done, work = bench.call("resume", str(bench.work), "--quiet"), "work"
        case "a new run":
            done, work = bench.run("work2"), "work2"
        case _:
            done, work = bench.call("rollback", str(bench.work), "--all"), "work"
    wrong = [] if done.code in (0, 1) else [f"{command}: exit {done.code}: {done.said.strip()[-300:]}"]
    return wrong + roll_back_all(bench, work)


def all_faults(bench: Bench, stages: Path) -> tuple[Reference, list[Fault]]:
    """Return the reference and all faults to try."""
    known = reference(bench)
    if known.fixes != FIXES:
        raise SystemExit(f"{known.fixes} fixes were applied to the skill of the attack, {FIXES} are needed")
    found = list(scenarios(bench, stages))
    return known, [fault for s in found for fault in faults(s, calls_of(bench, s, stages / "calls.txt"))]


def table(cases: Sequence[Case]) -> Iterator[str]:
    """Return one row per command and system call."""
    yield f"{'command':10} {'call':10} {'fault':8} {'cases':>6} {'problems':>9}  exit codes"
    rows = dict.fromkeys((c.fault.scenario.name, c.fault.call, c.fault.kind) for c in cases)
    for row in rows:
        mine = [c for c in cases if (c.fault.scenario.name, c.fault.call, c.fault.kind) == row]
        codes = ", ".join(f"{code} ×{count}" for code, count in sorted(Counter(c.code for c in mine).items()))
        yield f"{row[0]:10} {row[1]:10} {row[2]:8} {len(mine):6} {sum(bool(c.problems) for c in mine):9}  {codes}"


def main() -> int:
    """Print a table; the exit code is 1 if there was any problem."""
    options = argparse.ArgumentParser()
    options.add_argument("--sample", type=int)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", nargs="*", default=())
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder) / "bench", TIDES)
        known, found = all_faults(bench, Path(folder) / "stages")
        found = [f for f in found if all(word in (f.scenario.name, f.call, f.kind) for word in given.only)]
        chosen = random.Random(given.seed).sample(found, min(given.sample or len(found), len(found)))
        cases = []
        for case in (try_fault(bench, known, fault) for fault in sorted(chosen, key=found.index)):
            cases.append(case)
            for problem in case.problems:
                at = f"{case.fault.scenario.name}, {case.fault.call} {case.fault.number}, {case.fault.kind}"
                print(f"{at}: {problem}", flush=True)
    print(f"{len(cases)} of {len(found)} faults, in a run with {known.fixes} fixes, its recovery and its rollback")
    print("\n".join(table(cases)))
    return int(any(case.problems for case in cases))


if __name__ == "__main__":
    sys.exit(main())
