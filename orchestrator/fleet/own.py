"""Which results of a store are this user's own: a clone may bring a store, with the paths and hashes of its skills.

As with the work dirs of runs, a note in the user's own state folder says so: from which byte on their fleets wrote.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import TuneSkillError
from orchestrator.fs.notes import read_note, write_note
from schemas.codec import from_json, to_json

_KIND = "fleets"


@dataclass(frozen=True)
class _Note:
    """A store (real path), and the byte from which on it is the user's own."""

    store: str
    begins: int


def begins(store: Path) -> int | None:
    """Return the byte of a store from which on it is the user's own; None where nothing in it is known to be."""
    path = _real(store)
    with suppress(ValueError):
        note = from_json(_Note, read_note(_KIND, path))
        if note.store == str(path) and note.begins >= 0:
            return note.begins
    return None


def make_own(store: Path, begins: int) -> None:
    """Note that a store is the user's own from a byte on. Without a state folder the next fleet looks anew, too."""
    path = _real(store)
    with suppress(TuneSkillError, OSError):
        write_note(_KIND, path, to_json(_Note(str(path), begins)))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
