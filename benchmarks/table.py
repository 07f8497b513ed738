"""Print the table of benchmarks/speed.md (`./dev bench`). Each figure also has its own benchmark.

    python benchmarks/table.py [FOLDER] [--peers DIR]

With --peers, other linters are installed into DIR and measured, too (see peers.py). FOLDER holds skills (default: the
examples). CPU seconds and ratios are comparable on a busy machine.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import events  # noqa: E402
import fleet  # noqa: E402
import hooks  # noqa: E402
import peers  # noqa: E402
import state_update  # noqa: E402

from actions.patterns import get_session_patterns  # noqa: E402
from actions.session.session import Session  # noqa: E402
from actions.session.transcript_parse import parse_transcript  # noqa: E402

TUNE = [sys.executable, str(ROOT / "tune_skill.py")]
EXAMPLE = ROOT / "examples" / "release-notes"
Row = tuple[str, str]


def measure_process(command: list[str], folder: Path) -> peers.Usage:
    """Return the usage of the run with the minimum CPU time."""
    (folder / ".claude" / "skills").mkdir(parents=True, exist_ok=True)
    return min((peers.measure_run(command, folder) for _ in range(5)), key=lambda usage: usage.cpu)


_COMMANDS = {
    "`--help`": ["--help"],
    "`diagnose --no-cache` of the example": ["diagnose", "--no-cache", str(EXAMPLE)],
    "… from the cache": ["diagnose", str(EXAMPLE)],
}


def measure_startup(folder: Path) -> Iterator[Row]:
    """Yield the CPU times of short commands, also as multiples of an empty Python."""
    bare = measure_process([sys.executable, "-c", "pass"], folder).cpu
    for label, arguments in _COMMANDS.items():
        used = measure_process([*TUNE, *arguments], folder)
        yield label, f"{used.cpu:.2f} s CPU, {used.cpu / bare:.1f} × `python -c pass`, {used.memory:.0f} MB"


def measure_many_skills(skills: Path, temp: Path) -> Iterator[Row]:
    """Yield the cost of many skills, with `diagnose` and with `fleet`."""
    folder = fleet.copy_skills(skills, 100, temp / "hundred")
    command = [*TUNE, "diagnose", str(folder), "--jobs", "1", "--format", "json"]
    used, again = (peers.measure_run(command, _make_project(temp)) for _ in range(2))
    yield "`diagnose` of 100 skills, nothing in the cache", f"{used.cpu:.1f} s CPU, {used.memory:.0f} MB"
    yield "… a second time", f"{again.cpu:.1f} s CPU"
    for first, again in fleet.measure_growth(skills, (10, 100), 2, temp):
        rest = f"a second time {again.cpu:.1f} s"
        yield f"`fleet` of {first.skills:,} skills", f"{first.cpu:.1f} s CPU, {first.memory:.0f} MB, {rest}"
    single, double = (fleet.measure(folder, temp / f"{jobs}.jsonl", jobs) for jobs in (1, 2))
    label = f"{single.wall / double.wall:.2f} times as fast as by 1, {double.cpu / single.cpu:.2f} × its CPU"
    yield "`fleet` of 100 skills by 2 processes", label


def _make_project(temp: Path) -> Path:
    folder = temp / "project"
    (folder / ".claude" / "skills").mkdir(parents=True, exist_ok=True)
    return folder


def measure_state(temp: Path) -> Iterator[Row]:
    """Yield the cost of a state change relative to a bare write, and of a load relative to parsing."""
    with redirect_stdout(sys.stderr):
        times = state_update.measure(temp)
    bare, (_, parsed) = times[state_update.WRITE], times[state_update.PARSE]
    for label in ("one scalar changes", "all 200 issues change"):
        wall, cpu = times[label]
        ratios = (
            f"{wall / bare[0]:.1f} × a bare write, fsync and rename; CPU {cpu:.1f} ms, {cpu / bare[1]:.1f} × its CPU"
        )
        yield f"state of 200 issues: {label}", ratios
    yield "… loaded and checked", f"{times['load'][1] / parsed:.1f} × `json.loads` of the same bytes"


def measure_log(temp: Path) -> Iterator[Row]:
    """Yield the figures of the event log: many writers, and finding a rare event."""
    seconds, found, torn = events.write_events(temp, 16, 2_000)
    yield "event log, 16 writers at once", f"{found:,} of 32,000 found, {torn} torn, {found / seconds:,.0f} events/s"
    large_log = events.write_large_log(temp / "big.jsonl", 200_000)
    full = events.time_call(lambda: events.count_by_parsing(large_log.path))
    rare = events.time_call(lambda: events.query_events({"event_type": "compaction_detected"}, large_log))
    yield "a rare event of 200,000", f"1/{full / rare:.0f} of the time to parse every line"


def measure_transcript(temp: Path) -> Iterator[Row]:
    """Yield the cost of all checkers of a session, relative to json.loads of its lines."""
    path = temp / "session.jsonl"
    hooks.write_transcript(path, 10)
    lines = path.read_bytes().splitlines(keepends=True)

    def time_call(work: Callable[[], object]) -> float:
        began = time.process_time()
        work()
        return time.process_time() - began

    def check() -> None:
        session = Session(parse_transcript(lines))
        for checker in get_session_patterns().values():
            checker.check(session)

    works = (lambda: [json.loads(line) for line in lines], lambda: parse_transcript(lines), check)
    rounds = [[time_call(work) for work in works] for _ in range(9)]
    loads, parsed, whole = map(min, zip(*rounds, strict=True))
    label = f"{whole / loads:.2f} × `json.loads` of its lines, parsing alone {parsed / loads:.2f} ×"
    yield "transcript of 10 MB, all checkers", label


def measure_peers(skills: Path, temp: Path, tools: Path) -> Iterator[Row]:
    """Yield the cost of other linters for the same skills."""
    for tool, (single, several) in peers.measure_tools(skills, tools, temp).items():
        few, more = peers.COUNTS
        figure = f"{single.cpu:.2f} s CPU, {several.cpu:.2f} s CPU, {several.memory:.0f} MB"
        yield f"{tool}: {few} skill, {more} skills", figure


def main() -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=fleet.EXAMPLES)
    parser.add_argument("--peers", type=Path, metavar="DIR")
    options = parser.parse_args()
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
    print(f"{datetime.now(UTC):%Y-%m-%d}, {machine}\n\n| | measured |\n|---|---|")
    with tempfile.TemporaryDirectory() as name:
        temp, skills = Path(name), options.folder
        os.environ["XDG_CACHE_HOME"] = str(temp / "cache")
        parts = [
            measure_startup(_make_project(temp)),
            measure_many_skills(skills, temp),
            measure_state(temp),
            measure_log(temp),
            measure_transcript(temp),
        ]
        if options.peers:
            parts.append(measure_peers(skills, temp / "peers", options.peers))
        for label, figure in chain.from_iterable(parts):
            print(f"| {label} | {figure} |", flush=True)


if __name__ == "__main__":
    main()
