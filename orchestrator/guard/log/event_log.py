"""Append records to an event log, one JSON object per line, and read them from either end."""

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
MAX_LINE = 4_000_000
"""Maximum length of a written line in bytes. If a record is longer, its large values are left out."""


class EventLog:
    """An append-only log file and its rotated parts. Several processes share it.

    The file has mode 0600, in a folder with mode 0700. A record has `timestamp` (epoch seconds, float), `event`,
    `breadcrumb`, `data` and `hook_input`. skipped: the number of invalid lines in the last `read`.
    """

    def __init__(
        self,
        path: Path,
        clock: Callable[[], float] = time.time,
        breadcrumb: Callable[[], str | None] = lambda: None,
        part_bytes: int = append_log.PART_BYTES,
    ) -> None:
        self.path = path
        self.skipped = 0
        self._clock = clock
        self._breadcrumb = breadcrumb
        self._part_bytes = part_bytes
        self._warned = False

    def append(self, event: str, data: Mapping[str, Any], hook_input: Mapping[str, Any] | None = None) -> bool:
        """Append a record. If that fails, warn once on stderr and return False."""
        record = {
            "timestamp": self._clock(),
            "event": event,
            "breadcrumb": self._breadcrumb(),
            "data": data,
            "hook_input": hook_input,
        }
        try:
            line = encode_value(record)
            if len(line) > MAX_LINE:
                line = encode_value({**record, "data": _shorten(data), "hook_input": _shorten(hook_input or {})})
            append_log.append_line(str(self.path), line, self._part_bytes)
        except (OSError, ValueError, TypeError, RecursionError, TuneSkillError) as error:
            if is_strict():
                raise
            self._warn(error)
            return False
        return True

    def read(self, *, newest_first: bool = False, needles: Sequence[bytes] = ()) -> Iterator[Record]:
        """Yield the records. Invalid lines are skipped and counted.

        needles: parse only lines that contain all of these, so that a rare event is found quickly.
        """
        self.skipped = 0
        lines = tail.read_newest_first if newest_first else tail.read_oldest_first
        for file in self._open_parts(newest_first):
            with file:
                for line in lines(file, needles):
                    record = _parse_record(line) if len(line) <= tail.MAX_LINE else None
                    if record is None:
                        self.skipped += 1
                    else:
                        yield record

    def _open_parts(self, newest_first: bool) -> Iterator[BinaryIO]:
        """Open the parts of the log and yield them in the order of reading.

        The current part is opened first: if another process rotates it in the meantime, its inode identifies it
        among the rotated parts, so that it is not read twice.
        """
        path = str(self.path)
        current = self._open_part(path)
        inodes = [os.fstat(file.fileno()).st_ino for file in current]
        parts = sorted(append_log.list_parts(path), reverse=newest_first)
        rotated = (file for part in parts if os.lstat(part).st_ino not in inodes for file in self._open_part(part))
        if newest_first:
            yield from current
        yield from rotated
        if not newest_first:
            yield from current

    def _open_part(self, path: str) -> list[BinaryIO]:
        """Open a part of the log. Return [file], or [] if it is missing, not a regular file or too large."""
        try:
            file = os.fdopen(nofollow.open_file(path, os.O_RDONLY), "rb")
        except FileNotFoundError:
            return []
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.EINVAL, errno.EISDIR):
                raise
            self.skipped += 1
            return []
        if os.fstat(file.fileno()).st_size <= nofollow.MAX_BYTES:
            return [file]
        file.close()
        self.skipped += 1
        return []

    def _warn(self, error: Exception) -> None:
        if not self._warned:
            self._warned = True
            print(one_line(f"warning: cannot write the event log {self.path}: {reason(error)}"), file=sys.stderr)


def encode_needle(text: str) -> bytes:
    """Encode `text` as it appears as a value in a line of the log."""
    return encode_value(text)


def _shorten(values: Mapping[str, Any]) -> Record:
    """Return a record without its largest values, so that the line of the record stays below MAX_LINE.

    Half of MAX_LINE is divided equally among the values. `left_out` counts the omitted values.
    """
    share = MAX_LINE // 2 // max(1, len(values))
    small = {name: value for name, value in values.items() if len(encode_value([name, value])) <= share}
    return {**small, "left_out": len(values) - len(small)} if len(small) < len(values) else small


def _parse_record(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return _normalize(record) if isinstance(record, dict) else None


def _normalize(record: Record) -> Record | None:
    time, data, hook_input = record.get("timestamp"), record.get("data"), record.get("hook_input")
    if not isinstance(record.get("event"), str) or not _is_time(time):
        return None
    return {
        **record,
        "breadcrumb": record["breadcrumb"] if isinstance(record.get("breadcrumb"), str) else None,
        "data": data if isinstance(data, dict) else {},
        "hook_input": hook_input if isinstance(hook_input, dict) else None,
    }


def _is_time(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
