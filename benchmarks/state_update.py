"""What a change of the state costs, as a multiple of a bare write + fsync + rename of the same bytes.

    python benchmarks/state_update.py [FOLDER]

The state is of a large run: 200 issues, 100 fixes, 50 history entries. Medians of one run, the cases interleaved.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from orchestrator.store import StateStore
from schemas.issues import Issue, Location
from schemas.records import FileChange, Fix, HistoryEntry, State
from schemas.vocabulary import Family, FixStatus, Grade, Risk, Severity

ROUNDS = 101


def an_issue(number: int) -> Issue:
    """Give an issue of a usual size."""
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


def a_fix(number: int) -> Fix:
    """Give a fix of a usual size."""
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


def a_large_state() -> State:
    """Give a state of about 180 KB, as it came from disk."""
    entry = HistoryEntry("action-diagnose-context", "2026-03-01T09:30:00.000Z", "2026-03-01T09:30:01.000Z", "success")
    return State(
        run_id="bench",
        issues=tuple(an_issue(n) for n in range(1, 201)),
        proposed_fixes=tuple(a_fix(n) for n in range(1, 101)),
        action_history=(entry,) * 50,
    )


def bare_write(path: Path, data: bytes) -> None:
    """Write, fsync, rename: the least that keeps the old file whole."""
    temp = path.with_suffix(".tmp")
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)
    temp.replace(path)


def milliseconds(act: Callable[[], object]) -> float:
    """Give the wall time of one call."""
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1000


def measure(folder: Path) -> dict[str, float]:
    """Give the median of each case in milliseconds."""
    store = StateStore(folder / "run")
    store.create(a_large_state())
    data = store.path.read_bytes()
    print(f"state: {len(data) / 1000:.0f} KB")
    cases: dict[str, Callable[[], object]] = {
        "bare write + fsync + rename": lambda: bare_write(folder / "bare.json", data),
        "one scalar changes": lambda: store.update(quality_score=(store.state.quality_score + 1) % 100),
        "one issue of 200 changes": lambda: store.update(issues=(an_issue(1), *store.state.issues[1:])),
        "all 200 issues change": lambda: store.update(issues=tuple(an_issue(n) for n in range(1, 201))),
        "all 100 fixes change": lambda: store.update(
            proposed_fixes=tuple(replace(f, status=FixStatus.SELECTED) for f in store.state.proposed_fixes)
        ),
        "load": lambda: StateStore(folder / "run").load(),
    }
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, act in cases.items():
            times[name].append(milliseconds(act))
    return {name: median(values) for name, values in times.items()}


def main() -> None:
    """Print each case in milliseconds and as a multiple of the bare write."""
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if sys.argv[1:] else None) as folder:
        medians = measure(Path(folder))
    base = medians["bare write + fsync + rename"]
    for name, value in medians.items():
        print(f"{name:30} {value:7.2f} ms  {value / base:5.1f}x")


if __name__ == "__main__":
    main()
