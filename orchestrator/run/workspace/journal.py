"""Write each change of a skill to the journal of the work dir before it is made (write-ahead log)."""

import errno
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from orchestrator.errors import StateDamaged
from orchestrator.fs import nofollow
from orchestrator.fs.append_log import append
from orchestrator.fs.disk import read_regular, sync, wrap_os_errors
from orchestrator.fs.durable import closing, encode_value, ensure_private_dir, write_bytes
from schemas.codec import from_json, to_json
from schemas.records import ChangeMade


class Kind(StrEnum):
    """The kind of an entry: it applies a fix, or it rolls fixes back."""

    APPLY = "apply"
    ROLLBACK = "rollback"


_ACTIONS = ("create", "modify", "delete")


class EntryOutcome(StrEnum):
    """The outcome of an entry. open: undecided. closed: the changes stay. rolled_back: the changes were undone."""

    OPEN = "open"
    CLOSED = "closed"
    ROLLED_BACK = "rolled_back"


class Step(msgspec.Struct, frozen=True):
    """A change of one file.

    file: its path relative to the root, without links. before, after: the sha256 of the content; None means that the
    file does not exist. mode: the mode after the step. mode_before: the mode before the step, if the step changes the
    mode.
    """

    file: str
    before: str | None
    after: str | None
    mode: int
    mode_before: int | None = None

    @property
    def old_mode(self) -> int:
        """The mode of the file before the step."""
        return self.mode if self.mode_before is None else self.mode_before

    @property
    def order(self) -> int:
        """The sort key: creations first, then modifications, then deletions."""
        return 0 if self.before is None else 2 if self.after is None else 1

    @property
    def inverse(self) -> "Step":
        """The step that undoes this one."""
        mode_before = None if self.mode_before is None else self.mode
        return replace(self, before=self.after, after=self.before, mode=self.old_mode, mode_before=mode_before)


class Entry(msgspec.Struct, frozen=True):
    """The application of a fix, or a rollback of fixes.

    folders: the folders that the fixes created. edited: the files that were not changed because a user had edited them.
    partial: for each fix of which a rollback undid only a part, the steps that remain. skipped: the files in `edited`
    that were to be changed, but were edited after the rollback had begun; their steps remain, too. For a fix that could
    not be undone: the files that it has changed; only their steps remain.
    skill: the real path of the skill, or of another unit's file.
    """

    number: int
    kind: Kind
    fixes: tuple[str, ...]
    steps: tuple[Step, ...]
    folders: tuple[str, ...]
    outcome: EntryOutcome = EntryOutcome.OPEN
    edited: tuple[str, ...] = ()
    skill: str = ""
    partial: Mapping[str, tuple[Step, ...]] = msgspec.field(default_factory=dict)
    skipped: tuple[str, ...] = ()

    def list_remaining(self, applied: "Entry") -> tuple[Step, ...]:
        """Return those steps of an applied entry that this rollback did not undo.

        These are all steps if the rollback is about other fixes.
        """
        remaining = self.partial.get(applied.fixes[0])
        if remaining is None:
            return applied.steps
        by_file = {step.file: step for step in remaining}
        return tuple(
            step if step.file in self.skipped else by_file[step.file]
            for step in applied.steps
            if step.file in by_file or step.file in self.skipped
        )

    @property
    def changes(self) -> tuple[ChangeMade, ...]:
        """The changes of the files, as records of the state."""
        return tuple(ChangeMade(s.file, _ACTIONS[s.order], s.mode, s.before, s.after) for s in self.steps)


def find_applied(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries of fixes that were applied and not rolled back, oldest first."""
    applied: list[Entry] = []
    for entry in entries:
        if entry.outcome is EntryOutcome.CLOSED:
            applied = update_applied(applied, entry)
    return applied


def update_applied(applied: Sequence[Entry], entry: Entry) -> list[Entry]:
    """Return the entries of applied fixes after a closed entry. applied: those before it, oldest first."""
    if entry.kind is Kind.APPLY:
        return _add_applied(applied, entry)
    others = (other for other in applied if not set(other.fixes) & set(entry.fixes))
    return [replace(other, steps=entry.list_remaining(other)) for other in others]


def _add_applied(applied: Sequence[Entry], entry: Entry) -> list[Entry]:
    """Add an entry to the applied entries, replacing an older entry of the same fix in the files that it changes.

    A fix can be applied again after a kill, if the user restored the files in which it could not be undone.
    """
    steps = tuple(step for step in entry.steps if step.file in entry.skipped) or entry.steps
    files, folders = {step.file for step in steps}, entry.folders
    for older in applied:
        if older.fixes == entry.fixes:
            steps = (*(step for step in older.steps if step.file not in files), *steps)
            folders = (*older.folders, *folders)
    return [*(e for e in applied if e.fixes != entry.fixes), replace(entry, steps=steps, folders=folders)]


def list_later_changes(entries: Iterable[Entry], entry: Entry, step: Step, now: str | None) -> list[Step] | None:
    """Return the changes of a file by entries later than `entry`, oldest first.

    Return None if they do not lead from the result of the step to the hash `now`, so that a user has edited the file.
    """
    later = (other for other in entries if other.number > entry.number and other.outcome is EntryOutcome.CLOSED)
    changes = [change for other in later for change in other.steps if change.file == step.file]
    results = [step.after, *(change.after for change in changes)]
    return changes if results == [*(change.before for change in changes), now] else None


def list_undone_rollbacks(entries: Iterable[Entry]) -> list[Entry]:
    """Return the rollbacks that were killed and undone. Their `skipped` has the files that were edited in between."""
    return [entry for entry in entries if entry.kind is Kind.ROLLBACK and entry.outcome is EntryOutcome.ROLLED_BACK]


class Journal:
    """An append-only file of JSON lines, each synced to disk. An incomplete last line is ignored.

    skill: the real path of one skill or other unit. Entries about other units are never changed.
    """

    def __init__(self, path: Path, skill: Path) -> None:
        self.path = path
        self.skill = str(skill)

    def read_entries(self) -> tuple[Entry, ...]:
        """Return all entries in order. Raises StateDamaged if a complete line cannot be read."""
        entries: dict[int, Entry] = {}
        try:
            lines = self._read_lines()
        except OSError as error:
            raise StateDamaged(f"{self.path} cannot be read: {error.strerror}; move it elsewhere") from error
        for number, line in enumerate(lines.splitlines(), 1):
            try:
                _apply_record(entries, json.loads(line))
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                raise StateDamaged(
                    f"{self.path}: line {number} cannot be read; compare the skill with "
                    f"{self.path.parent / 'backup'}, then move the journal elsewhere"
                ) from None
        return tuple(entries.values())

    def read_open_entries(self) -> list[Entry]:
        """Return the entries of this skill that have no outcome, newest first."""
        return [e for e in reversed(self.read_own_entries()) if e.outcome is EntryOutcome.OPEN]

    def read_own_entries(self) -> list[Entry]:
        """Return the entries of this skill, oldest first."""
        return [entry for entry in self.read_entries() if entry.skill == self.skill]

    def begin(
        self,
        kind: Kind,
        fixes: Iterable[str],
        steps: Iterable[Step],
        folders: Iterable[str],
        edited: Iterable[str] = (),
        partial: Mapping[str, tuple[Step, ...]] | None = None,
    ) -> Entry:
        """Write an entry durably before its steps are carried out."""
        ordered = tuple(sorted(steps, key=lambda step: step.order))
        number = len(self.read_entries()) + 1
        entry = Entry(
            number,
            kind,
            tuple(fixes),
            ordered,
            tuple(folders),
            edited=tuple(edited),
            skill=self.skill,
            partial=partial or {},
        )
        self._append(to_json(entry))
        return entry

    def end(self, entry: Entry, outcome: EntryOutcome, edited: tuple[str, ...] = ()) -> None:
        """Write the outcome of `entry`. edited: further files that were left because a user had edited them."""
        self._append({"number": entry.number, "outcome": outcome, "edited": [*entry.edited, *edited]})

    def rename_unit(self, old: str) -> None:
        """Make the entries of the unit with the real path `old` entries of this unit."""
        records = [json.loads(line) for line in self._read_lines().splitlines()]
        renamed = [record | {"skill": self.skill} if record.get("skill") == old else record for record in records]
        if renamed != records:
            write_bytes(self.path, b"".join(encode_value(record) + b"\n" for record in renamed))

    def _read_lines(self) -> bytes:
        data = read_regular(self.path) or b""
        return data[: data.rfind(b"\n") + 1]

    def _append(self, record: dict[str, Any]) -> None:
        with wrap_os_errors(f"cannot write {self.path}"):
            self._append_line(encode_value(record) + b"\n")

    def _append_line(self, line: bytes) -> None:
        ensure_private_dir(self.path.parent)
        lines = self._read_lines()
        fd = nofollow.open_file(str(self.path), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        with closing(fd):
            os.ftruncate(fd, len(lines))
            append(fd, line, sync=True)
            if read_regular(self.path) != lines + line:
                os.ftruncate(fd, len(lines))
                raise OSError(errno.EIO, "the data read back differs from the data written")
        sync(self.path.parent)


def _apply_record(entries: dict[int, Entry], record: dict[str, Any]) -> None:
    """Add the entry that a record begins, or set the outcome of the entry that it ends."""
    number = record["number"]
    if "steps" in record:
        entries[number] = from_json(Entry, record)
    else:
        outcome, edited = EntryOutcome(record["outcome"]), tuple(record["edited"])
        entry = entries[number]
        entries[number] = replace(entry, outcome=outcome, edited=edited, skipped=edited[len(entry.edited) :])
