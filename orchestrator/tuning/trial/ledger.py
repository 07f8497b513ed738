"""Record the events of a trial in a ledger. Each event is on disk before the next step starts.

The first event is `created`. The events of a run are `began`, `held` (it is finished and paid for), `asked` (a model is
asked, if the task has criteria) and `graded`. If the run does not count, `lost` follows instead of `held`. After a
kill, finished runs are not repeated. A run that had only begun is repeated, and the cost of its first attempt is
estimated.
"""

import json
import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from actions.lean_hash import hash_bytes
from orchestrator.errors import Busy, StateDamaged, WriteFailed
from orchestrator.fs import nofollow
from orchestrator.fs.append_log import append, is_locked_by_other, lock
from orchestrator.fs.durable import closing, encode_value, ensure_private_dir
from orchestrator.fs.room import BYTES, Room
from orchestrator.tuning.trial.temp_files import PLAN, SESSIONS, remove_in_folder

FILE = "ledger.jsonl"
_RESTART = "move the trial's folder elsewhere, and start the trial again"
_PATIENCE, _DELAY = 2.0, 0.05
"""How long to wait for the lock, which another command may hold to charge killed runs, and between two attempts (s)."""
_DIGEST_FIELD, _DIGEST_LENGTH = b',"sha256":"', 16
_STARTS = ("began", "asked")
"""The events after which something is paid for."""


class Key(NamedTuple):
    """The identity of a run: its task, its number and its version (before, after)."""

    task: str
    number: int
    version: str

    def __str__(self) -> str:
        return f"{self.task}.{self.number}.{self.version}"


def _encode(record: Mapping[str, Any]) -> bytes:
    """Return the line for a record. It contains a digest, which shows later whether someone has changed the line."""
    line = encode_value(record)
    return line[:-1] + _DIGEST_FIELD + hash_bytes(line)[:_DIGEST_LENGTH].encode() + b'"}\n'


def _decode(line: bytes) -> Any:
    """Return the record in a line. Raises ValueError if the line was changed, or if its cost is not valid."""
    start, digest, end = line.rpartition(_DIGEST_FIELD)
    if digest and end != hash_bytes(start + b"}")[:_DIGEST_LENGTH].encode() + b'"}':
        raise ValueError("the digest of the line differs")
    record = json.loads(line)
    if not 0 <= record["usd"] < math.inf:
        raise ValueError("not an amount of money")
    return record


def _open_file(path: Path) -> int:
    """Open a ledger, or create it. Raises StateDamaged if a folder or another file is in its place."""
    try:
        return nofollow.open_file(str(path), os.O_RDWR | os.O_APPEND | os.O_CREAT)
    except OSError as error:
        if nofollow.is_regular(str(path)) or not os.path.lexists(path):
            raise
        raise StateDamaged(f"{path} cannot be opened: {error.strerror}; move it elsewhere, and try again") from error


def _lock(fd: int, folder: Path, patience: float) -> None:
    """Lock an open ledger. Raises Busy if another process still holds the lock after `patience` seconds.

    Raises WriteFailed if the file system has no locks.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            return lock(fd, wait=False)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise Busy(f"{folder}: another process is using it; wait until it ends, or stop it") from None
        except OSError as error:
            raise WriteFailed(
                f"{folder} cannot be locked: {error.strerror}; move the project to another disk"
            ) from None
        time.sleep(_DELAY)


class Ledger(msgspec.Struct):
    """The runs of a trial, by key.

    started: runs that have not ended. finished: runs that have ended. graded: runs whose checks were evaluated.
    query_costs: the cost in USD that is reserved for unanswered questions about runs. folders: the folders of all runs
    that were ever started. spent: the cost so far in USD, including what is reserved for active runs. is_old: whether
    it has lines from an earlier version of tune-skill, which have no digest. is_damaged: whether a line could not be
    read.
    """

    path: Path
    finished: dict[Key, dict[str, Any]] = msgspec.field(default_factory=dict)
    graded: dict[Key, dict[str, Any]] = msgspec.field(default_factory=dict)
    started: dict[Key, dict[str, Any]] = msgspec.field(default_factory=dict)
    query_costs: dict[Key, float] = msgspec.field(default_factory=dict)
    folders: set[Path] = msgspec.field(default_factory=set)
    spent: float = 0.0
    is_old: bool = False
    is_damaged: bool = False

    @property
    def reserved_cost(self) -> float:
        """The amount in USD that is reserved for runs and questions that have not ended."""
        return sum(float(record["usd"]) for record in self.started.values()) + sum(self.query_costs.values())

    @property
    def settled_cost(self) -> float:
        """The cost so far in USD, without what is reserved for active runs and questions."""
        return self.spent - self.reserved_cost

    def describe_cost(self) -> str:
        """Return the cost so far, and separately the amount that is reserved for runs that were cut off."""
        reserved = f", {self.reserved_cost:.2f} USD reserved for what was cut off" if self.reserved_cost else ""
        return f"{max(self.settled_cost, 0.0):.2f} USD spent{reserved}"

    @property
    def unneeded_folders(self) -> set[Path]:
        """The folders that no active or ungraded run needs."""
        needed = (record for key, record in (*self.started.items(), *self.finished.items()) if key not in self.graded)
        return self.folders - {Path(record["folder"]) for record in needed}

    @classmethod
    @contextmanager
    def open(cls, folder: Path, patience: float = _PATIENCE) -> "Iterator[Ledger]":
        """Open the ledger in a folder and lock it. Wait for the lock for at most `patience` seconds.

        Raises Busy if another process keeps the lock, and StateDamaged if the ledger cannot be read.
        """
        ensure_private_dir(folder)
        path = folder / FILE
        if not path.exists() and (folder / PLAN).exists():  # the plan is written after the ledger
            raise StateDamaged(f"{path} is missing, so the cost is unknown; {_RESTART}")
        fd = _open_file(path)
        with os.fdopen(fd, "rb+") as file:
            _lock(fd, folder, patience)
            remove_in_folder(folder)
            ledger = cls(path)
            ledger._read(file.read())
            ledger._ensure_complete()
            try:
                yield ledger
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                if not ledger.is_old:
                    raise
                problem = f"{path}: a line from an earlier version cannot be read"
                raise StateDamaged(f"{problem}; {_RESTART}") from error
            finally:
                Room(folder).release()

    @staticmethod
    @contextmanager
    def hold(folder: Path) -> Iterator[None]:
        """Lock the ledger in a folder without reading it, for work that needs no ledger. Raises Busy.

        A missing ledger is created.
        """
        fd = _open_file(folder / FILE)
        with closing(fd):
            _lock(fd, folder, _PATIENCE)
            yield

    @classmethod
    def peek(cls, folder: Path) -> "tuple[Ledger, bool]":
        """Read the ledger in a folder without changing it. Return it, and whether another process has locked it.

        Damaged lines are skipped, so the costs in them are missing. Raises OSError if the file cannot be read.
        """
        ledger = cls(folder / FILE)
        with os.fdopen(nofollow.open_file(str(ledger.path), os.O_RDONLY), "rb") as file:
            is_locked = is_locked_by_other(file.fileno())
            data = file.read()
        complete = data[: data.rfind(b"\n") + 1]
        ledger.is_damaged = not complete and (folder / PLAN).exists()
        for line in complete.splitlines():
            try:
                ledger._apply(_decode(line))
            except (ValueError, LookupError, TypeError, RecursionError):
                ledger.is_damaged = True
        return ledger, is_locked

    def _read(self, data: bytes) -> None:
        """Apply the records in the file, and remove an incomplete last line, which a kill leaves.

        Raises StateDamaged if another line cannot be read.
        """
        complete = data[: data.rfind(b"\n") + 1]
        if complete != data:
            os.truncate(self.path, len(complete))
        for number, line in enumerate(complete.splitlines(), 1):
            self.is_old |= _DIGEST_FIELD not in line
            try:
                self._apply(_decode(line))
            except (ValueError, LookupError, TypeError, RecursionError):
                problem = f"{self.path}: line {number} cannot be read"
                raise StateDamaged(f"{problem}; {_RESTART}") from None

    def _ensure_complete(self) -> None:
        """Raise StateDamaged if lines are missing.

        This is detected because the first line is older than the plan, and a run is recorded before its transcript
        is saved.
        """
        if (self.path.parent / PLAN).exists() and not self.path.stat().st_size:
            raise StateDamaged(f"{self.path} is empty, so the cost is unknown; {_RESTART}")
        recorded = {*map(str, self.finished)}
        unrecorded = [file.stem for file in self.path.parent.glob(f"{SESSIONS}/*.jsonl") if file.stem not in recorded]
        if unrecorded and not self.is_old:
            problem = f"{self.path}: lines are missing: {min(unrecorded)} has a transcript, but no cost"
            raise StateDamaged(f"{problem}; {_RESTART}")

    def ensure_spent(self, usd: float) -> None:
        """Raise StateDamaged if the ledger contains less than `usd`, an amount that is known to have been spent."""
        if self.spent < usd - 0.005:
            problem = f"{self.path}: lines are missing: it has {self.spent:.2f} USD of {usd:.2f} USD spent"
            raise StateDamaged(f"{problem}; {_RESTART}")

    def _apply(self, record: dict[str, Any]) -> None:
        key = Key(*record["run"])
        match record["event"]:
            case "began":
                self.started[key] = record
                self.folders.add(Path(record["folder"]))
                self.spent += record["usd"]
            case "held" | "lost":
                self.spent += record["usd"] - self.started.pop(key, {"usd": 0.0})["usd"]
                if record["event"] == "held":
                    self.finished[key] = record
            case "asked":
                self.query_costs[key] = record["usd"]
                self.spent += record["usd"]
            case "graded":
                self.graded[key] = record
                self.spent += record["usd"] - self.query_costs.pop(key, 0.0)

    def begin(self) -> None:
        """Write the first line, before the plan. Raises WriteFailed if the disk does not accept it."""
        self.record("created", Key("", 0, ""), 0.0)

    def record(self, event: str, key: Key, usd: float, **values: Any) -> None:
        """Record an event of a run durably. usd: the cost of the event. Raises WriteFailed if it cannot be written.

        Before a run or question starts, room on the disk is kept for what it will cost and answer.
        """
        record = {"event": event, "run": list(key), "usd": usd, **values}
        line, room = _encode(record), Room(self.path.parent)
        try:
            if event in _STARTS:
                room.keep(BYTES * (len(self.started) + len(self.query_costs) + 1))
                self._append(line)
            else:
                room.write(lambda: self._append(line))
        except OSError as error:
            raise WriteFailed(
                f"cannot write {self.path}: {error.strerror}; fix this and start the trial again"
            ) from error
        self._apply(record)

    def _append(self, line: bytes) -> None:
        with closing(nofollow.open_file(str(self.path), os.O_WRONLY | os.O_APPEND)) as fd:
            append(fd, line, sync=True)
