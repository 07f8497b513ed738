"""Store notes on paths in the user's state folder, such as what the user allowed or started.

A cloned repository cannot forge them, because they are outside the project.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from actions.lean_hash import hash_bytes
from orchestrator.errors import BadInput
from orchestrator.fs import durable, nofollow
from orchestrator.fs.home import find_state_folder

T = TypeVar("T")

WORK_DIRS = "runs"
"""The kind of notes for the work dirs of this user's runs and trials."""


def get_note_file(kind: str, path: Path, state: Path | None = None) -> Path:
    """Return the file of the note of a kind on a path, which must have no links.

    `state` replaces XDG_STATE_HOME. Raises BadInput without a home folder.
    """
    name = hash_bytes(os.fsencode(path))
    folder = find_state_folder() if state is None else state / "tune-skill"
    return folder / kind / f"{name}.json"


def read_note(kind: str, path: Path, limit: int = nofollow.MAX_SMALL_BYTES) -> Any:
    """Return the note on a real path, or None if it is missing, damaged, or of another user."""
    with suppress(BadInput, OSError, ValueError, RecursionError):
        if os.path.lexists(file := get_note_file(kind, path)):  # most skills have no note, so most scans end here
            return json.loads(nofollow.read(str(file), limit, is_own=True))
    return None


def read_record(kind: str, path: Path, record: type[T], limit: int = nofollow.MAX_SMALL_BYTES) -> T | None:
    """Return the note on a real path as a record, or None if it is missing or does not fit the record."""
    return _to_record(read_note(kind, path, limit), record)


def read_note_file(file: Path, record: type[T]) -> T | None:
    """Return the note in a file as a record, or None if it is missing, damaged or does not fit the record."""
    with suppress(OSError, ValueError, RecursionError):
        return _to_record(json.loads(nofollow.read(str(file), nofollow.MAX_SMALL_BYTES, is_own=True)), record)
    return None


def _to_record(note: Any, record: type[T]) -> T | None:
    if note is None:
        return None
    from schemas.codec import from_json  # imported late, because hooks must start fast and read no records

    with suppress(ValueError):
        return from_json(record, note)
    return None


@contextmanager
def lock_notes(kind: str) -> Iterator[None]:
    """Lock the notes of a kind during the block, so that a note can be read and rewritten. Raises WriteFailed."""
    folder = get_note_file(kind, Path()).parent
    durable.ensure_private_dir(folder)
    with durable.lock_folder(folder):
        yield


def write_note(kind: str, path: Path, value: Any, state: Path | None = None) -> None:
    """Write a value or record as the note on a path without links, readable only by the user. Raises WriteFailed."""
    from schemas.codec import to_json

    file = get_note_file(kind, path, state)
    durable.ensure_private_dir(file.parent)
    durable.remove_old_temp_files(file.parent)
    durable.write_json(file, to_json(value), mode=0o600)
