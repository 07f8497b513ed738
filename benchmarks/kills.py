"""Kill a command at random moments, and check whether anything is lost.

    python benchmarks/kills.py [COUNT] [SEED] [skill | unit] [run | apply | rollback]

`run --apply all`, `apply --all` of a paused run, or `rollback --all` of a finished one. After each SIGKILL: every file
of the skill holds the bytes of one of its versions, and the state is readable. Then `resume` (after a killed rollback:
`rollback --all`) recovers the skill and finishes as if nothing had been (every second time a new run recovers and tunes
it instead), and `rollback --all` gives the original bytes and modes. `unit` tunes a hooks file of a plugin, where one
fix changes the mode of a script.
"""

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.attack import Bench, Files, Reference, check_rollback, inspect, reference, roll_back_all, tree

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "release-notes"


@dataclass(frozen=True)
class Kill:
    """One kill: when it came, the phase of the run, who finished it, and what was wrong afterwards."""

    number: int
    after_seconds: float
    phase: str
    finished_by: str
    problems: tuple[str, ...]


def example() -> Files:
    """Return the example with modes that are not all alike."""
    paths = sorted(EXAMPLE.rglob("*.md"))
    modes = (0o644, 0o600, 0o664)
    return {str(p.relative_to(EXAMPLE)): (modes[n % 3], p.read_bytes()) for n, p in enumerate(paths)}


HOOKS = b"""{"hooks": {
  "preToolUse": [{"hooks": [{"type": "command", "command": "bash ${CLAUDE_PLUGIN_ROOT}/scripts/chek.sh"}]}],
  "Stop": [{"hooks": [
    {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/bin/count"},
    {"type": "command", "command": "node", "args": ["$CLAUDE_PLUGIN_ROOT/scripts/end.js"]}]}]
}}
"""
PLUGIN: Files = {
    ".claude-plugin/plugin.json": (0o644, b'{"name": "birds"}\n'),
    "hooks/hooks.json": (0o600, HOOKS.replace(b"\n", b"\r\n")),
    "bin/count": (0o640, b"#!/bin/sh\nexit 0"),
    "scripts/check.sh": (0o755, b"exit 0\n"),
    "scripts/end.js": (0o644, b"process.exit(0)\n"),
}
"""A plugin in which a run on the hooks file fixes four faults, one of them by the mode of a script."""


@dataclass(frozen=True)
class Target:
    """A command that is killed, and the folder before it."""

    name: str
    words: tuple[str, ...]
    stage: Path


def prepare(bench: Bench, name: str, stage: Path) -> Target:
    """Make the folder in which the command starts."""
    bench.fresh()
    words = tuple(bench.run_line())
    if name == "apply":
        options = ("--pause", "--judge", "none", "--no-sessions", "--quiet", "--work-dir", str(bench.work))
        done = bench.call("run", str(bench.skill / bench.unit), *options)
        if done.code != 3:
            raise SystemExit(f"the run did not pause: exit {done.code}: {done.said[-300:]}")
        words = ("apply", str(bench.work), "--all", "--quiet")
    elif name == "rollback":
        bench.run()
        words = ("rollback", str(bench.work), "--all")
    shutil.copytree(bench.folder, stage)
    return Target(name, words, stage)


def kills(folder: Path, count: int, seed: int, what: str, command: str) -> tuple[Reference, Iterator[Kill]]:
    """Return the reference, and the kills one by one."""
    bench = Bench(folder, PLUGIN, "hooks/hooks.json") if what == "unit" else Bench(folder, example())
    chance = random.Random(seed)
    known = reference(bench)
    if known.fixes < 4:
        raise SystemExit(f"only {known.fixes} fixes were applied to the {what}; this needs at least 4")
    target = prepare(bench, command, folder.with_name("stage"))
    began = time.perf_counter()
    bench.call(*target.words)
    seconds = time.perf_counter() - began
    moments = (chance.uniform(0, seconds) for _ in range(count))
    return known, (one_kill(bench, known, target, number, moment) for number, moment in enumerate(moments, 1))


def one_kill(bench: Bench, known: Reference, target: Target, number: int, moment: float) -> Kill:
    """Kill one command after `moment` seconds, recover, and say what was wrong."""
    shutil.rmtree(bench.folder)
    shutil.copytree(target.stage, bench.folder)
    pid = bench.start(*target.words)
    time.sleep(moment)
    os.kill(pid, signal.SIGKILL)
    was_killed = bench.end_of(pid).code < 0
    phase, problems = inspect(bench, known)
    again = number % 2 == 0 or not (bench.work / "state.json").exists()
    finish = target.words if target.name == "rollback" else ("resume", str(bench.work))
    done = bench.run("work2") if again else bench.call(*finish)
    if done.code == 3:  # killed before the choice of fixes was saved
        done = bench.call(*target.words)
    if done.code not in (0, 1):
        problems.append(f"it was not finished: exit {done.code}: {done.said.strip()[-200:]}")
    if not again and tree(bench.skill) != (known.before if target.name == "rollback" else known.after):
        problems.append("the finished skill is not what a command without a kill makes of it")
    problems += [*roll_back_all(bench, "work2" if again else "work"), *check_rollback(bench, known, "work2", "work")]
    by = "a new run" if again else "itself"
    return Kill(number, moment, phase if was_killed else "it had ended", by, tuple(problems))


def main() -> int:
    """Print a table; the exit code is 1 when anything was wrong."""
    count, seed = (int(sys.argv[n]) if len(sys.argv) > n else default for n, default in ((1, 200), (2, 1)))
    what, command = (sys.argv[n] if len(sys.argv) > n else default for n, default in ((3, "skill"), (4, "run")))
    with tempfile.TemporaryDirectory() as folder:
        known, all_kills = kills(Path(folder) / "bench", count, seed, what, command)
        done = list(all_kills)
    print(f"{count} kills (seed {seed}) of {command} with {known.fixes} fixes on a {what}")
    print(f"{'phase of the run':26} {'kills':>6} {'repeated':>8} {'new run':>8} {'problems':>9}")
    for phase, number in Counter(kill.phase for kill in done).most_common():
        mine = [kill for kill in done if kill.phase == phase]
        resumed = sum(kill.finished_by == "itself" for kill in mine)
        print(f"{phase:26} {number:6} {resumed:8} {number - resumed:8} {sum(map(bool, (k.problems for k in mine))):9}")
    for kill in done:
        for problem in kill.problems:
            print(f"kill {kill.number} after {kill.after_seconds:.3f} s, {kill.phase}: {problem}")
    return int(any(kill.problems for kill in done))


if __name__ == "__main__":
    sys.exit(main())
