"""The event log: one JSON record a line, appended under a lock with one write, so that nothing is lost or torn."""

import errno
import fcntl
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from orchestrator.durable import encode_value, ensure_private_dir
from orchestrator.errors import TuneSkillError, one_line

Record = dict[str, Any]


class EventLog:
    """An append-only file (0600, in a folder of 0700) that several processes share.

    A record: `timestamp` (epoch seconds, float), `event`, `breadcrumb`, `data`, `hook_input`.
    `skipped` counts the lines that the last `read` could not use.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self.skipped = 0
        self._clock = clock
        self._warned = False

    def append(self, event: str, /, **data: Any) -> None:
        """Add a record. Fails open: a log that cannot be written costs one warning, never the run."""
        try:
            self._append_line(self._line(event, data))
        except (OSError, ValueError, TypeError, RecursionError, TuneSkillError) as error:
            if os.environ.get("TUNE_SKILL_STRICT") == "1":
                raise
            self._warn(error)

    def read(self) -> Iterator[Record]:
        """Yield the records, oldest first; torn and foreign lines are skipped and counted."""
        self.skipped = 0
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            return
        with file:
            for line in file:
                record = _record(line)
                if record is None:
                    self.skipped += 1
                else:
                    yield record

    def _line(self, event: str, data: Record) -> bytes:
        record = {
            "timestamp": self._clock(),
            "event": event,
            "breadcrumb": None,
            "data": data,
            "hook_input": None,
        }
        return encode_value(record) + b"\n"

    def _append_line(self, line: bytes) -> None:
        fd = self._open()
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            size = os.fstat(fd).st_size
            if size and os.pread(fd, 1, size - 1) != b"\n":
                line = b"\n" + line  # a writer was killed in its line: do not continue it
            if os.write(fd, line) != len(line):
                os.ftruncate(fd, size)
                raise OSError(errno.ENOSPC, "the line did not fit on the disk")
        finally:
            os.close(fd)

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            return os.open(self.path, flags, 0o600)
        except FileNotFoundError:
            ensure_private_dir(self.path.parent)
            return os.open(self.path, flags, 0o600)

    def _warn(self, error: Exception) -> None:
        if not self._warned:
            self._warned = True
            print(one_line(f"warning: the event log {self.path} is not written: {error}"), file=sys.stderr)


def _record(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if isinstance(record, dict) and isinstance(record.get("event"), str) and _is_time(record.get("timestamp")):
        return record
    return None


def _is_time(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
