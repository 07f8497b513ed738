"""The diagnostic log of the steering state: JSON lines, rotated; and what they tell of loops."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from orchestrator.errors import TuneSkillError
from orchestrator.fs import durable, nofollow
from orchestrator.fs.append_log import append_line
from orchestrator.guard.steering import log as power_log

MAX_BYTES = 1_000_000
KEPT = 5
"""Size at which the log is set aside, and how many of those set aside are kept."""

STALL = 10
"""Equal successful writes in a row that count as a stall."""

FAILURE_RATE = 0.3
"""Share of failed writes above which writing counts as broken."""

Entry = dict[str, Any]


def timestamp() -> str:
    """Return the time: UTC, ISO 8601, milliseconds, Z."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class DiagnosticLog:
    """The log of one session. Writing fails open: steering must not depend on it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, operation: str, **facts: Any) -> None:
        """Add an entry."""
        entry = {"timestamp": timestamp(), "operation": operation, **facts}
        power_log.debug("%s %s", operation, facts)
        try:
            line = json.dumps(entry, default=str).encode()
            durable.ensure_dir(self.path.parent)
            append_line(str(self.path), line, MAX_BYTES, _shift)
        except (OSError, TuneSkillError, ValueError, RecursionError) as error:
            power_log.debug("the diagnostic log %s is not written: %s", self.path, error)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries of the current file, oldest first; lines that are no entry are skipped."""
        with suppress(OSError):
            for line in nofollow.read(str(self.path)).splitlines():
                with suppress(ValueError, RecursionError):
                    entry = json.loads(line)
                    if isinstance(entry, dict):
                        yield entry


def _shift(path: str) -> None:
    """Rename the full log to `.1`, and each older one to the next number; the one above KEPT is lost."""
    with durable.parent_of(Path(path)) as (folder, name):
        for number in range(KEPT, 0, -1):
            old = f"{name}.{number - 1}" if number > 1 else name
            with suppress(FileNotFoundError):
                os.replace(old, f"{name}.{number}", src_dir_fd=folder, dst_dir_fd=folder)


def loops(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Return what goes round in the log: "stall", "oscillation", "failure_rate".

    A counter of 0 is that of a session that was let go: equal ones in a row are a good sign.
    """
    saves = [entry for entry in entries if entry.get("operation") == "state_save"]
    counters = [entry.get("counter_after") for entry in saves if entry.get("save_success") is True]
    found = []
    if len(counters) >= STALL and len(set(map(repr, counters[-STALL:]))) == 1 and counters[-1]:
        found.append("stall")
    last = counters[-4:]
    if len(last) == 4 and all(last) and last[0] == last[2] != last[1] == last[3]:
        found.append("oscillation")
    failed = sum(entry.get("save_success") is False for entry in saves)
    if saves and failed / len(saves) > FAILURE_RATE:
        found.append("failure_rate")
    return tuple(found)
