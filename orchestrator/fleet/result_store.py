"""Store the results of a fleet: one JSON record per line, appended, so that a restart continues from there."""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import schemas
from orchestrator.errors import BadInput, Busy
from orchestrator.fleet.store_owner import digest, note_own_lines, read_own_lines
from orchestrator.fs import nofollow
from orchestrator.fs.append_log import append, lock
from orchestrator.fs.durable import encode_value

_BEGINS = b'{"key":"'
"""The beginning of every record."""


class ResultStore:
    """Opens the file at `path` for this process alone; an incomplete last line, left by a kill, is cut off.

    `known` holds the keys of the records, each with its error. The last record of a key counts.
    `foreign` counts the lines that no fleet of this user wrote, or that were changed since; they are ignored.
    Writes do not wait for the disk, because a restart rebuilds a record that a power failure lost.
    Raises BadInput when the file cannot be opened or is someone else's, Busy when another process has it.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.foreign = path, 0
        self.known: dict[str, str | None] = {}
        self._places: dict[str, int] = {}
        try:
            self._file = os.fdopen(nofollow.open_file(str(path), os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666), "rb")
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror}; name another file with --store") from None
        try:
            lock(self._file.fileno(), wait=False)
        except BlockingIOError:
            self._file.close()
            raise Busy(
                f"{path}: another fleet writes there; wait until it ends, or name another with --store"
            ) from None
        self._index(read_own_lines(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def add(self, records: Iterable[Any]) -> None:
        """Add records, all of them with one write."""
        found = list(records)
        lines = [encode_value(record) + b"\n" for record in found]
        note_own_lines(self.path, lines, anew=not os.fstat(self._file.fileno()).st_size)
        at = append(self._file.fileno(), b"".join(lines))
        for record, line in zip(found, lines, strict=True):
            self._remember(record, at)
            at += len(line)

    def read(self, keys: Iterable[str]) -> Iterator[Any]:
        """Yield the records of known keys, in the order of the file."""
        for at in sorted(self._places[key] for key in keys if key in self._places):
            self._file.seek(at)
            yield json.loads(self._file.readline())

    def _index(self, own: set[bytes]) -> None:
        """Index the records in the lines with these digests."""
        at = 0
        for line in self._file:
            if not at and line[: len(_BEGINS)] != _BEGINS[: len(line)]:
                self._file.close()
                raise BadInput(f"{self.path}: holds no results of a fleet; name another file with --store")
            if not line.endswith(b"\n"):
                os.ftruncate(self._file.fileno(), at)
                self._file.seek(0, os.SEEK_END)  # what was read ahead of the torn line is gone
                break
            if digest(line) not in own:
                self.foreign += 1
            elif record := _record(line):
                self._remember(record, at)
            at += len(line)

    def _remember(self, record: Any, at: int) -> None:
        self._places[record["key"]] = at
        self.known[record["key"]] = record["diagnosis"].get("error")


def _record(line: bytes) -> Any:
    try:
        record = json.loads(line)
        schemas.check("fleet_record", record)
    except (ValueError, RecursionError):
        return None
    return record
