"""Kill `install` and `uninstall` at random moments, and check whether anything of the user is lost.

    python benchmarks/install_kills.py [COUNT] [SEED]

After each SIGKILL: every file of the user holds its bytes before or after the command. Then the command is repeated,
and `uninstall` gives the original bytes, without a backup or a temporary file.
"""

import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.attack import Bench, temp_files

FILES = {
    "skill/.claude/settings.local.json": (0o600, b'{"model": "opus",\r\n "hooks": {"Stop": []}}'),
    "skill/.claude/settings.json": (0o644, b'{"permissions": {"allow": ["Read"]}}\n'),
    "skill/.mcp.json": (0o640, b'{"mcpServers": {"tides": {"command": "tides"}}}'),
    "skill/.git/HEAD": (0o644, b"ref: refs/heads/main\n"),
}
COMMANDS = (("install", "--hooks"), ("uninstall",))
Contents = dict[str, bytes]


def read_files(bench: Bench) -> Contents:
    """Return the bytes of each file of the project by its path."""
    return {str(path.relative_to(bench.skill)): path.read_bytes() for path in bench.skill.rglob("*") if path.is_file()}


def lay_out(bench: Bench) -> None:
    """Begin anew with the files of the user."""
    bench.fresh()
    for name, (mode, data) in FILES.items():
        path = bench.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode)


def call(bench: Bench, words: tuple[str, ...], moment: float | None = None) -> int:
    """Run a command in the project, and kill it after `moment` seconds; return its exit code."""
    pid = bench.start(*words, first=lambda: os.chdir(bench.skill))
    if moment is not None:
        time.sleep(moment)
        os.kill(pid, signal.SIGKILL)
    return bench.end_of(pid).code


def is_backup(name: str) -> bool:
    """Return whether a path is that of a backup."""
    return ".backup-" in name


def kill_once(bench: Bench, words: tuple[str, ...], moment: float) -> tuple[bool, list[str]]:
    """Kill a command after `moment` seconds; return whether it was killed, and what was wrong afterwards."""
    lay_out(bench)
    before = read_files(bench)
    if words[0] == "uninstall":
        call(bench, COMMANDS[0])
    installed = read_files(bench)
    was_killed = call(bench, words, moment) < 0
    now = read_files(bench)
    if words[0] == "install":
        call(bench, words)
        installed = read_files(bench)
    known = [before, installed]
    problems = [
        f"{name} holds bytes of no version"
        for name, data in now.items()
        if not is_backup(name) and not Path(name).name.startswith(".tune-skill-")
        and data not in [files.get(name) for files in known]
    ]  # fmt: skip
    problems += [f"{name} is gone" for name in before if name not in now]
    code = call(bench, COMMANDS[1])
    if code:
        problems.append(f"uninstall: exit {code}")
    after = read_files(bench)
    problems += [f"{name} is not as it was" for name in before if after.get(name) != before[name]]
    problems += [f"left behind: {name}" for name in [*temp_files(bench.skill), *filter(is_backup, after)]]
    return was_killed, problems


def main() -> int:
    """Print a table; the exit code is 1 when anything was wrong."""
    count, seed = (int(sys.argv[n]) if len(sys.argv) > n else default for n, default in ((1, 100), (2, 1)))
    chance, counts = random.Random(seed), Counter[tuple[str, bool, bool]]()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder) / "bench", {})
        lay_out(bench)
        began = time.perf_counter()
        call(bench, COMMANDS[0])
        seconds = time.perf_counter() - began
        for number in range(count):
            words = COMMANDS[number % 2]
            was_killed, problems = kill_once(bench, words, chance.uniform(0, seconds))
            counts[words[0], was_killed, bool(problems)] += 1
            for problem in problems:
                print(f"kill {number} of {words[0]}: {problem}", flush=True)
    for (name, was_killed, is_wrong), times in sorted(counts.items()):
        print(f"{name:10} {'killed' if was_killed else 'had ended':10} {'wrong' if is_wrong else 'right':6} {times:6}")
    return int(any(is_wrong for _, _, is_wrong in counts))


if __name__ == "__main__":
    sys.exit(main())
