"""Store the results of a fleet as one JSON record per line, so that a restart can continue."""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import schemas
from orchestrator.errors import BadInput, Busy
from orchestrator.fleet.store_owner import digest, read_own_lines, record_own_lines
from orchestrator.fs import nofollow
from orchestrator.fs.append_log import append, lock
from orchestrator.fs.disk import wrap_os_errors
from orchestrator.fs.durable import encode_value

_PREFIX = b'{"key":"'
"""The beginning of every record."""
_MAX_LINE, _MAX_STORE = 8_000_000, 2_000_000_000
"""Limits in bytes. A longer line is not a record and not kept in memory. A larger file is not a store."""


class ResultStore:
    """The results in the file at `path`, which is locked for this process.

    `errors` maps the key of each record to its error, or to None for a scanned skill. The last record with a key is
    used. `foreign_lines` counts the ignored lines that another user wrote or someone edited. An incomplete last line,
    which a killed process can leave, is removed.

    Writes are not synced to disk, because a restart scans a skill again if its record was lost. Raises BadInput if the
    file cannot be opened or is not a store, and Busy if another process uses the store.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.foreign_lines = path, 0
        self.errors: dict[str, str | None] = {}
        self._offsets: dict[str, int] = {}
        try:
            self._file = os.fdopen(nofollow.open_file(str(path), os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666), "rb")
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror}; choose another file with --store") from None
        try:
            lock(self._file.fileno(), wait=False)
        except BlockingIOError:
            self._file.close()
            raise Busy(
                f"{path}: another `tune-skill fleet` is writing to this file; wait until it ends, or choose another"
                " file with --store"
            ) from None
        except OSError as error:  # some network file systems have no locks
            self._file.close()
            raise BadInput(f"{path} cannot be locked: {error.strerror}; choose another file with --store") from None
        if os.fstat(self._file.fileno()).st_size > _MAX_STORE:
            self._file.close()
            raise BadInput(
                f"{path}: larger than {_MAX_STORE // 10**9} GB; move it elsewhere, or choose another file with --store"
            )
        self._index(read_own_lines(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def add(self, records: Iterable[Any]) -> None:
        """Append records in one write. Raises WriteFailed if the disk does not accept them."""
        new = list(records)
        lines = [encode_value(record) + b"\n" for record in new]
        record_own_lines(self.path, lines, replace=not os.fstat(self._file.fileno()).st_size)
        with wrap_os_errors(f"cannot write {self.path}"):
            offset = append(self._file.fileno(), b"".join(lines))
        for record, line in zip(new, lines, strict=True):
            self._index_record(record, offset)
            offset += len(line)

    def read(self, keys: Iterable[str]) -> Iterator[Any]:
        """Yield the records with these keys, in the order of the file. Keys without a record are skipped."""
        for offset in sorted(self._offsets[key] for key in keys if key in self._offsets):
            self._file.seek(offset)
            yield json.loads(self._file.readline())

    def _index(self, own_digests: set[bytes]) -> None:
        """Read the file and index the records. `own_digests`: digests of the lines that this user's fleets wrote."""
        offset = 0
        while line := self._file.readline(_MAX_LINE):
            if not offset and line[: len(_PREFIX)] != _PREFIX[: len(line)]:
                self._file.close()
                raise BadInput(f"{self.path}: not a store of fleet results; choose another file with --store")
            size = len(line)
            while len(line) == _MAX_LINE and not line.endswith(b"\n"):
                line = self._file.readline(_MAX_LINE)
                size += len(line)
            if not line.endswith(b"\n"):
                os.ftruncate(self._file.fileno(), offset)
                self._file.seek(0, os.SEEK_END)  # discard the buffer, which contains the incomplete line
                break
            if size > _MAX_LINE or digest(line) not in own_digests:
                self.foreign_lines += 1
            elif record := _parse_record(line):
                self._index_record(record, offset)
            offset += size

    def _index_record(self, record: Any, offset: int) -> None:
        self._offsets[record["key"]] = offset
        self.errors[record["key"]] = record["diagnosis"].get("error")


def _parse_record(line: bytes) -> Any:
    try:
        record = json.loads(line)
        schemas.check("fleet_record", record)
    except (ValueError, RecursionError):
        return None
    return record
