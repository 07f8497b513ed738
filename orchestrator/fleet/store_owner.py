"""Note which part of a result store this user wrote, because a clone may bring a store with forged results.

As with the work dirs of runs, the note is in the user's state folder; it holds the byte from which on the user wrote.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import TuneSkillError
from orchestrator.fs.notes import read_record, write_note

_KIND = "fleets"


@dataclass(frozen=True)
class _Note:
    """A store (real path), and the byte from which on this user wrote it."""

    store: str
    begins: int


def read_own_start(store: Path) -> int | None:
    """Return the byte from which on this user wrote a store; None if no part is known to be theirs."""
    path = _real(store)
    note = read_record(_KIND, path, _Note)
    return note.begins if note and note.store == str(path) and note.begins >= 0 else None


def note_own_start(store: Path, begins: int) -> None:
    """Note the byte from which on this user wrote a store. Without a state folder the next fleet scans all anew."""
    path = _real(store)
    with suppress(TuneSkillError, OSError):
        write_note(_KIND, path, _Note(str(path), begins))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
