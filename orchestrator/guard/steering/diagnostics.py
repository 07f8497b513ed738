"""Write the diagnostic log of the steering state, and find loops in it."""

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
from orchestrator.guard.steering import logger

MAX_BYTES = 1_000_000
"""Size in bytes at which the log is rotated."""
MAX_LOGS = 5
"""Maximum number of rotated logs. Older logs are deleted."""
STALL_LENGTH = 10
"""Number of consecutive saves with the same counter that count as a stall."""
MAX_FAILURE_RATE = 0.3
"""Share of failed saves above which saving is considered broken."""

Entry = dict[str, Any]


def timestamp() -> str:
    """Return the current time in UTC (ISO 8601 with milliseconds and Z)."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class DiagnosticLog:
    """The log of one session. Errors when writing it are ignored, because steering must not depend on it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, operation: str, **values: Any) -> None:
        """Append an entry."""
        entry = {"timestamp": timestamp(), "operation": operation, **values}
        logger.debug("%s %s", operation, values)
        try:
            line = json.dumps(entry, default=str).encode()
            durable.ensure_dir(self.path.parent)
            append_line(str(self.path), line, MAX_BYTES, _rotate)
        except (OSError, TuneSkillError, ValueError, RecursionError) as error:
            logger.debug("cannot write the diagnostic log %s: %s", self.path, error)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries of the current file, oldest first. Skips invalid lines."""
        with suppress(OSError):
            for line in nofollow.read(str(self.path)).splitlines():
                with suppress(ValueError, RecursionError):
                    entry = json.loads(line)
                    if isinstance(entry, dict):
                        yield entry


def _rotate(path: str) -> None:
    """Rename the full log to `.1`, and rename each older log to the next number.

    The log with the number MAX_LOGS is overwritten.
    """
    with durable.open_parent(Path(path)) as (folder, name):
        for number in range(MAX_LOGS, 0, -1):
            old = f"{name}.{number - 1}" if number > 1 else name
            with suppress(FileNotFoundError):
                os.replace(old, f"{name}.{number}", src_dir_fd=folder, dst_dir_fd=folder)


def find_loops(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Return the kinds of loops in a log: "stall", "oscillation", "failure_rate".

    A counter of 0 means that the stop was approved, so several zeros in a row are not a stall.
    """
    saves = [entry for entry in entries if entry.get("operation") == "state_save"]
    counters = [entry.get("counter_after") for entry in saves if entry.get("save_success") is True]
    loops = []
    recent = set(map(repr, counters[-STALL_LENGTH:]))
    if len(counters) >= STALL_LENGTH and len(recent) == 1 and counters[-1]:
        loops.append("stall")
    last_four = counters[-4:]
    if len(last_four) == 4 and all(last_four):
        first, second, third, fourth = last_four
        if first == third != second == fourth:
            loops.append("oscillation")
    failed = sum(entry.get("save_success") is False for entry in saves)
    if saves and failed / len(saves) > MAX_FAILURE_RATE:
        loops.append("failure_rate")
    return tuple(loops)
