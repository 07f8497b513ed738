"""The event log: one JSON record a line, appended under a lock with one write, so that nothing is lost or torn."""

import errno
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO

from orchestrator.errors import TuneSkillError, is_strict, one_line, reason
from orchestrator.fs import append_log, nofollow, tail
from orchestrator.fs.durable import encode_value

Record = dict[str, Any]


def _nowhere() -> str | None:
    return None


class EventLog:
    """An append-only file (0600, in a folder of 0700) with its closed parts, which several processes share.

    A record: `timestamp` (epoch seconds, float), `event`, `breadcrumb`, `data`, `hook_input`.
    `skipped` counts the lines that the last `read` could not use.
    """

    def __init__(
        self,
        path: Path,
        clock: Callable[[], float] = time.time,
        breadcrumb: Callable[[], str | None] = _nowhere,
        part_bytes: int = append_log.PART_BYTES,
    ) -> None:
        self.path = path
        self.skipped = 0
        self._clock = clock
        self._breadcrumb = breadcrumb
        self._part_bytes = part_bytes
        self._warned = False

    def append(self, event: str, data: Mapping[str, Any], hook_input: Mapping[str, Any] | None = None) -> bool:
        """Add a record. Fails open: a log that cannot be written costs one warning and gives False."""
        record = {
            "timestamp": self._clock(),
            "event": event,
            "breadcrumb": self._breadcrumb(),
            "data": data,
            "hook_input": hook_input,
        }
        try:
            append_log.append_line(str(self.path), encode_value(record), self._part_bytes)
        except (OSError, ValueError, TypeError, RecursionError, TuneSkillError) as error:
            if is_strict():
                raise
            self._warn(error)
            return False
        return True

    def read(self, *, newest_first: bool = False, needles: Sequence[bytes] = ()) -> Iterator[Record]:
        """Yield the records; torn and foreign lines are skipped and counted.

        needles: only lines that hold all of them are looked at, which makes a rare thing cheap to find.
        """
        self.skipped = 0
        lines = tail.newest_first if newest_first else tail.oldest_first
        for file in self._files(newest_first):
            with file:
                for line in lines(file, needles):
                    record = _record(line)
                    if record is None:
                        self.skipped += 1
                    else:
                        yield record

    def _files(self, newest_first: bool) -> Iterator[BinaryIO]:
        """Open the parts; the current one first, so that it is not missed or read twice if it is closed meanwhile."""
        path = str(self.path)
        current = self._part(path)
        here = [os.fstat(file.fileno()).st_ino for file in current]
        parts = sorted(append_log.parts(path), reverse=newest_first)
        closed = (file for part in parts if os.lstat(part).st_ino not in here for file in self._part(part))
        if newest_first:
            yield from current
        yield from closed
        if not newest_first:
            yield from current

    def _part(self, path: str) -> list[BinaryIO]:
        """Open a part; none where it is not there, or is nothing that we wrote: no regular file, or far too large."""
        try:
            file = os.fdopen(nofollow.open_file(path, os.O_RDONLY), "rb")
        except FileNotFoundError:
            return []
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.EINVAL, errno.EISDIR):
                raise
            self.skipped += 1
            return []
        if os.fstat(file.fileno()).st_size <= nofollow.MOST:
            return [file]
        file.close()
        self.skipped += 1
        return []

    def _warn(self, error: Exception) -> None:
        if not self._warned:
            self._warned = True
            print(one_line(f"warning: the event log {self.path} is not written: {reason(error)}"), file=sys.stderr)


def encode_needle(text: str) -> bytes:
    """Give the bytes that a line of the log holds when one of its values is `text`."""
    return encode_value(text)


def _record(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return _whole(record) if isinstance(record, dict) else None


def _whole(record: Record) -> Record | None:
    time, data, given = record.get("timestamp"), record.get("data"), record.get("hook_input")
    if not isinstance(record.get("event"), str) or not _is_time(time):
        return None
    return {
        **record,
        "breadcrumb": record["breadcrumb"] if isinstance(record.get("breadcrumb"), str) else None,
        "data": data if isinstance(data, dict) else {},
        "hook_input": given if isinstance(given, dict) else None,
    }


def _is_time(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
