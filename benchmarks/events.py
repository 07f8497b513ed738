"""Measure the event log: concurrent writers, finding a rare event in a million, reading the newest hundred.

    python benchmarks/events.py [EVENTS]

Times depend on the machine; ratios of one run are comparable.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from orchestrator.guard.log.event_log import EventLog
from orchestrator.guard.log.events import query_events, read_events

ROOT = Path(__file__).resolve().parents[1]
WRITER = """
import sys
from pathlib import Path
from orchestrator.guard.log.event_log import EventLog
log = EventLog(Path(sys.argv[1]))
sys.stdin.read()
for number in range(int(sys.argv[2])):
    log.append("tool_call_started", {"writer": sys.argv[3], "number": number})
"""


def write_events(folder: Path, writers: int, each: int) -> tuple[float, int, int]:
    """Return the seconds, the events found and the torn lines after `writers` processes write `each` events each."""
    log = EventLog(folder / f"{writers}" / "log.jsonl")
    args = [sys.executable, "-c", WRITER, str(log.path), str(each)]
    processes = [
        subprocess.Popen([*args, str(n)], cwd=ROOT, stdin=subprocess.PIPE, env={"PYTHONPATH": str(ROOT)})
        for n in range(writers)
    ]
    time.sleep(0.25 * writers)  # until all of them have imported their modules
    began = time.perf_counter()
    for process in processes:
        process.stdin.close()
    for process in processes:
        process.wait()
    seconds = time.perf_counter() - began
    return seconds, sum(1 for _ in log.read()), log.skipped


def write_large_log(path: Path, events: int) -> EventLog:
    """Write a log of about 240 bytes per event, with one rare event in the middle."""
    line = (
        '{"timestamp":%d.5,"event":"%s","breadcrumb":"s_1a2b3c4d/c_1/g_1a2b3c4/p_5e6f7a8b/t_%d","data":{},"hook_input":'
        '{"session_id":"1a2b3c4d-0000-4000-8000-000000000000","tool_name":"Bash","tool_use_id":"toolu_%012d"}}\n'
    )
    with path.open("w") as file:
        for n in range(events):
            name = "compaction_detected" if n == events // 2 else "tool_call_started"
            file.write(line % (1_700_000_000 + n, name, 1_700_000_000 + n, n))
    return EventLog(path)


def time_call(act) -> float:
    """Return the shortest of three times, in seconds."""
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        act()
        best = min(best, time.perf_counter() - began)
    return best


def count_by_parsing(path: Path) -> int:
    """Return the count of the rare event, found by parsing every line, for comparison."""
    with path.open("rb") as file:
        return sum(json.loads(line)["event"] == "compaction_detected" for line in file)


def main(events: int) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for writers, each in ((1, 20_000), (16, 4_000), (64, 500)):
            seconds, found, torn = write_events(folder, writers, each)
            rate = writers * each / seconds
            print(f"{writers:>3} writers: {found}/{writers * each} found, {torn} torn, {rate:,.0f} events/s")
        log = write_large_log(folder / "big.jsonl", events)
        full = time_call(lambda: count_by_parsing(log.path))
        rare = time_call(lambda: query_events({"event_type": "compaction_detected"}, log))
        last = time_call(lambda: list(read_events(100, log)))
        assert len(query_events({"event_type": "compaction_detected"}, log)) == 1
        print(f"{events:,} events, {log.path.stat().st_size / 1e6:.0f} MB")
        print(f"every line parsed {full:.2f} s; the rare event {rare:.3f} s (1/{full / rare:.0f})")
        print(f"the newest 100: {last * 1000:.1f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
