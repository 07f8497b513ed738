"""Keep notes on paths in the user's own state folder: what this user allowed or started. A clone cannot forge them."""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from orchestrator.errors import BadInput
from orchestrator.fs import durable, nofollow
from orchestrator.fs.home import xdg_folder

T = TypeVar("T")

WORK_DIRS = "runs"
"""The kind of the notes that name work dirs of this user's runs and trials."""


def note_file(kind: str, path: Path, state: Path | None = None) -> Path:
    """Return where the note of a real path is; the folder is the kind. Raises BadInput for a user without a home.

    state: another folder in place of XDG_STATE_HOME.
    """
    name = hashlib.sha256(os.fsencode(path)).hexdigest()
    folder = xdg_folder("XDG_STATE_HOME", ".local/state") if state is None else state / "tune-skill"
    return folder / kind / f"{name}.json"


def read_note(kind: str, path: Path, most: int = nofollow.SMALL) -> Any:
    """Return the note of a real path; None if it is missing or damaged, or the user has no home folder."""
    with suppress(BadInput, OSError, ValueError, RecursionError):
        return json.loads(nofollow.read(str(note_file(kind, path)), most))
    return None


def read_record(kind: str, path: Path, record: type[T], most: int = nofollow.SMALL) -> T | None:
    """Return the note of a real path as a record; None where `read_note` returns None, and for another shape."""
    from schemas.codec import from_json  # hooks wait, and read no records

    with suppress(ValueError):
        return from_json(record, read_note(kind, path, most))
    return None


def write_note(kind: str, path: Path, value: Any, state: Path | None = None) -> None:
    """Write a value or record as the note of a real path, for the user alone. Raises WriteFailed; see `note_file`."""
    from schemas.codec import to_json

    file = note_file(kind, path, state)
    durable.ensure_private_dir(file.parent)
    durable.write_json(file, to_json(value), mode=0o600)
