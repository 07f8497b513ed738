"""Kills `run --apply all` at random moments and looks whether anything is lost.

    python benchmarks/kills.py [COUNT] [SEED]

After each SIGKILL: every file of the skill holds the bytes of one of its versions, and the state is readable. Then
`resume` recovers the skill and finishes as if nothing had been (every second time a new run recovers and tunes it
instead), and `rollback --all` gives the original bytes and modes.
"""

import hashlib
import json
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import schemas
from orchestrator.errors import TuneSkillError
from orchestrator.store import StateStore
from orchestrator.workspace.journal import Journal

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "release-notes"
COMMAND = [sys.executable, str(ROOT / "tune_skill.py")]
TEMP = ".tune-skill-"
Tree = dict[str, tuple[int, str]]


@dataclass(frozen=True)
class Reference:
    """A run that nobody killed: the bytes that may be seen, before and after it, and how long it took."""

    contents: frozenset[str]
    before: Tree
    after: Tree
    fixes: int
    first_state: float
    seconds: float


@dataclass(frozen=True)
class Kill:
    """One kill: when it came, where the run stood, who finished it, and what was wrong afterwards."""

    number: int
    after_seconds: float
    stood: str
    finished_by: str
    problems: tuple[str, ...]


def tree(folder: Path) -> Tree:
    """Give mode and sha256 of everything below `folder`, temporary files of writers aside."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        if not path.name.startswith(TEMP):
            data = path.read_bytes() if path.is_file() else b""
            found[str(path.relative_to(folder))] = (stat.S_IMODE(path.stat().st_mode), hashlib.sha256(data).hexdigest())
    return found


def temp_files(folder: Path) -> list[str]:
    """Give the temporary files of writers that are still there."""
    return [path.name for path in folder.rglob(f"{TEMP}*")]


class Bench:
    """A folder with a skill, and the command to call on it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.skill = folder, folder / EXAMPLE.name
        self.env = {**os.environ, "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), "NO_COLOR": "1"}

    def fresh(self) -> None:
        """Begin anew with an untouched skill whose modes are not all alike."""
        for path in (self.skill, *self.folder.glob("work*")):
            shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(EXAMPLE, self.skill)
        for number, path in enumerate(sorted(self.skill.rglob("*.md"))):
            path.chmod((0o644, 0o600, 0o664)[number % 3])

    def start(self, work: str) -> "subprocess.Popen[bytes]":
        """Start `run --apply all`."""
        return subprocess.Popen(self._run(work), cwd=self.folder, env=self.env, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)  # fmt: skip

    def run(self, work: str) -> "subprocess.CompletedProcess[str]":
        """Do a whole `run --apply all`."""
        return self.call(*self._run(work)[len(COMMAND) :])

    def call(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Call the command and wait."""
        return subprocess.run([*COMMAND, *arguments], cwd=self.folder, env=self.env, capture_output=True, text=True,
                              check=False)  # fmt: skip

    def _run(self, work: str) -> list[str]:
        options = ["--apply", "all", "--judge", "none", "--quiet", "--work-dir", str(self.folder / work)]
        return [*COMMAND, "run", str(self.skill), *options]


def reference(bench: Bench) -> Reference:
    """Measure a run from its start to its end."""
    bench.fresh()
    before = tree(bench.skill)
    began, state = time.perf_counter(), bench.folder / "work" / "state.json"
    process, first = bench.start("work"), 0.0
    while process.poll() is None:
        if not first and state.exists():
            first = time.perf_counter() - began
        time.sleep(0.002)
    seconds = time.perf_counter() - began
    blobs = {path.name for path in (bench.folder / "work" / "blobs").iterdir()}
    fixes = len(StateStore(bench.folder / "work").load().applied_fixes)
    contents = frozenset(blobs | {digest for _, digest in before.values()})
    return Reference(contents, before, tree(bench.skill), fixes, first, seconds)


def kills(folder: Path, count: int, seed: int) -> tuple[Reference, Iterator[Kill]]:
    """Give the reference, and the kills one by one."""
    bench, chance = Bench(folder), random.Random(seed)
    known = reference(bench)
    if known.fixes < 4:
        raise SystemExit(f"only {known.fixes} fixes were applied to {EXAMPLE.name}; this needs at least 4")
    moments = (chance.uniform(0.8 * known.first_state, known.seconds) for _ in range(count))
    return known, (one_kill(bench, known, number, moment) for number, moment in enumerate(moments, 1))


def one_kill(bench: Bench, known: Reference, number: int, moment: float) -> Kill:
    """Kill one run after `moment` seconds, recover, and say what was wrong."""
    bench.fresh()
    process = bench.start("work")
    time.sleep(moment)
    process.kill()
    killed = process.wait() < 0
    stood, problems = standing(bench, known)
    again = number % 2 == 0 or not (bench.folder / "work" / "state.json").exists()
    done = bench.run("work2") if again else bench.call("resume", str(bench.folder / "work"))
    if done.returncode not in (0, 1):
        problems.append(f"it was not finished: exit {done.returncode}: {done.stderr.strip()[-200:]}")
    if not again and tree(bench.skill) != known.after:
        problems.append("the finished skill is not what a run without a kill makes of it")
    problems += [f"left behind: {name}" for name in temp_files(bench.skill)]
    for work in ("work2", "work"):
        if (bench.folder / work / "state.json").exists():
            back = bench.call("rollback", str(bench.folder / work), "--all")
            if back.returncode:
                problems.append(f"rollback: exit {back.returncode}: {(back.stdout + back.stderr).strip()[-200:]}")
    if tree(bench.skill) != known.before:
        problems.append("the rollback did not give the original bytes and modes")
    return Kill(
        number, moment, stood if killed else "it had ended", "a new run" if again else "resume", tuple(problems)
    )


def standing(bench: Bench, known: Reference) -> tuple[str, list[str]]:
    """Say where the killed run stood, and what is wrong with what it left."""
    now = tree(bench.skill)
    torn = [f"{path} holds bytes of no version" for path, (_, digest) in now.items() if digest not in known.contents]
    problems = [*torn, *(f"{path} is gone" for path in known.before if path not in now)]
    work = bench.folder / "work"
    if not (work / "state.json").exists():
        return "before the first state", problems
    try:
        values = json.loads((work / "state.json").read_bytes())
        schemas.check("state", values)
        unfinished = Journal(work / "journal.jsonl", bench.skill.resolve()).unfinished()
    except (ValueError, TuneSkillError) as error:
        return "unreadable", [*problems, f"state or journal cannot be read: {error}"]
    return ("a fix half way" if unfinished else str(values["phase"])), problems


def main() -> int:
    """Print a table; the exit code is 1 when anything was wrong."""
    count, seed = (int(sys.argv[n]) if len(sys.argv) > n else default for n, default in ((1, 200), (2, 1)))
    with tempfile.TemporaryDirectory() as folder:
        known, all_kills = kills(Path(folder), count, seed)
        done = list(all_kills)
    print(f"{count} kills (seed {seed}) of a run of {known.seconds:.2f} s with {known.fixes} fixes on {EXAMPLE.name}")
    print(f"{'where the run stood':26} {'kills':>6} {'resumed':>8} {'new run':>8} {'problems':>9}")
    for stood, number in Counter(kill.stood for kill in done).most_common():
        mine = [kill for kill in done if kill.stood == stood]
        resumed = sum(kill.finished_by == "resume" for kill in mine)
        print(f"{stood:26} {number:6} {resumed:8} {number - resumed:8} {sum(map(bool, (k.problems for k in mine))):9}")
    for kill in done:
        for problem in kill.problems:
            print(f"kill {kill.number} after {kill.after_seconds:.3f} s, {kill.stood}: {problem}")
    return int(any(kill.problems for kill in done))


if __name__ == "__main__":
    sys.exit(main())
