"""Measure a save of the state relative to a bare write, fsync and rename, and a load relative to a raw read.

    python benchmarks/state_update.py [FOLDER]

The state is that of a large run: 200 issues, 100 fixes, 50 history entries. Prints the median wall time and the minimum
CPU time of each case, with the cases interleaved, and for comparison the time of JSON parsers on the same bytes.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import msgspec
from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from orchestrator.run.store import StateStore
from schemas.issues import Issue, Location
from schemas.records import FileChange, Fix, HistoryEntry, State
from schemas.vocabulary import ActionResult, Family, FixStatus, Grade, Risk, Severity

ROUNDS = 101
WRITE, READ, PARSE = "bare write + fsync + rename", "raw read", "json.loads"


def make_issue(number: int) -> Issue:
    """Return an issue of typical size."""
    return Issue(
        id=f"ISS-{number:03d}",
        type=Family.CONTEXT,
        severity=Severity.HIGH,
        priority=1 + number % 5,
        location=Location(f"phases/{number % 9:02d}-collect.md", number, number + 3),
        description="Each turn appends the whole reply, and nothing removes one.",
        evidence=("notes.push(reply)",),
        root_cause="No bound is stated.",
        impact="The prompt only grows.",
        suggested_fix="sliding_window",
        pattern="CTX-001",
        grade=Grade.PROVEN,
        fingerprint=f"{number:016x}",
    )


def make_fix(number: int) -> Fix:
    """Return a fix of typical size."""
    diff = "@@ -10,3 +10,4 @@\n keep the answers\n-notes.push(reply)\n+notes = [...notes, reply].slice(-10)\n"
    return Fix(
        id=f"FIX-{number:03d}",
        issue_ids=(f"ISS-{number:03d}",),
        strategy="sliding_window",
        description="Keep the last ten replies.",
        rationale="Older ones are not read.",
        changes=(FileChange("phases/02-collect.md", "modify", diff, "a" * 64, "b" * 64, 0o644),),
        risk=Risk.LOW,
        estimated_impact="Ten entries at most.",
        verification_steps=("All patterns again.",),
        claims=(f"{number:016x}",),
    )


def make_large_state() -> State:
    """Return a state of about 180 KB, as loaded from disk."""
    entry = HistoryEntry(
        "action-diagnose-context", "2026-03-01T09:30:00.000Z", "2026-03-01T09:30:01.000Z", ActionResult.SUCCESS
    )
    return State(
        run_id="bench",
        issues=tuple(make_issue(n) for n in range(1, 201)),
        proposed_fixes=tuple(make_fix(n) for n in range(1, 101)),
        action_history=(entry,) * 50,
    )


def write_bare(path: Path, data: bytes) -> None:
    """Write, fsync and rename: the minimum that keeps the old file intact."""
    temp = path.with_suffix(".tmp")
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)
    temp.replace(path)


def measure_call(act: Callable[[], object]) -> tuple[float, float]:
    """Return the wall time and the CPU time of one call in milliseconds."""
    start, before = time.perf_counter(), time.process_time()
    act()
    return (time.perf_counter() - start) * 1000, (time.process_time() - before) * 1000


def measure(folder: Path) -> dict[str, tuple[float, float]]:
    """Return the median wall time and the minimum CPU time of each case in milliseconds."""
    store = StateStore(folder / "run")
    store.create(make_large_state())
    data = store.path.read_bytes()
    other_issues: list[Issue] = []
    print(f"state: {len(data) / 1000:.0f} KB")
    cases: dict[str, Callable[[], object]] = {
        WRITE: lambda: write_bare(folder / "bare.json", data),
        "one scalar changes": lambda: store.save(
            replace(store.state, quality_score=(store.state.quality_score + 1) % 100)
        ),
        "one issue of 200 changes": lambda: store.save(
            replace(store.state, issues=(make_issue(1), *store.state.issues[1:]))
        ),
        "all 200 issues change": lambda: store.save(replace(store.state, issues=tuple(other_issues))),
        "all 100 fixes change": lambda: store.save(
            replace(
                store.state,
                proposed_fixes=tuple(replace(f, status=FixStatus.SELECTED) for f in store.state.proposed_fixes),
            )
        ),
        READ: store.path.read_bytes,
        PARSE: lambda: json.loads(data),
        "msgspec, to values": lambda: msgspec.json.decode(data),
        "msgspec, to records": lambda: msgspec.json.decode(data, type=State),
        "load": lambda: StateStore(folder / "run").load(),
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    for _ in range(ROUNDS):
        other_issues[:] = [make_issue(number) for number in range(1, 201)]
        for name, act in cases.items():
            times[name].append(measure_call(act))
    return {name: (median(wall for wall, _ in pairs), min(cpu for _, cpu in pairs)) for name, pairs in times.items()}


def main() -> None:
    """Print each case in milliseconds, and relative to the bare write, the raw read and json.loads."""
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if sys.argv[1:] else None) as folder:
        times = measure(Path(folder))
    (write, write_cpu), (_, read), (_, parse) = times[WRITE], times[READ], times[PARSE]
    for name, (wall, cpu) in times.items():
        print(
            f"{name:28} {wall:7.2f} ms {wall / write:6.1f} x write   CPU {cpu:6.2f} ms {cpu / write_cpu:6.1f} x write"
            f" {cpu / read:6.1f} x read {cpu / parse:6.2f} x json.loads"
        )


if __name__ == "__main__":
    main()
