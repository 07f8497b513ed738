"""Record in the user's state folder which settings of a project the user chose.

This protects against the settings of a cloned repository, which other people wrote.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from orchestrator.fs.notes import get_note_file, lock_notes, read_note, write_note

_KIND = "projects"


def read_consent(root: Path) -> Mapping[str, Any]:
    """Return the settings that this user chose for the project at `root`, by dotted name."""
    note = read_note(_KIND, Path(os.path.realpath(root)))
    return note["settings"] if isinstance(note, dict) and isinstance(note.get("settings"), dict) else {}


def give_consent(root: Path, settings: Mapping[str, Any], state: Path | None = None) -> None:
    """Record that this user chose these settings for the project at `root`.

    state: a folder to use instead of XDG_STATE_HOME. Raises WriteFailed if the record cannot be written. Raises
    BadInput if the user has no home folder.
    """
    with lock_notes(_KIND):
        _write_consent(root, {**read_consent(root), **settings}, state)


def replace_consent(root: Path, settings: Mapping[str, Any]) -> None:
    """Record that this user chose these settings for the project at `root`, and no others. Raises WriteFailed."""
    with lock_notes(_KIND):
        _write_consent(root, settings)


def _write_consent(root: Path, settings: Mapping[str, Any], state: Path | None = None) -> None:
    write_note(_KIND, Path(os.path.realpath(root)), {"project": str(root), "settings": settings}, state)


def get_consent_file(root: Path) -> Path:
    """Return the path of the file that records the user's consent for the project at `root`."""
    return get_note_file(_KIND, Path(os.path.realpath(root)))
