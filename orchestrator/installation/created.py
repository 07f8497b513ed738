"""Record what an installation creates and writes, so that `uninstall` removes nothing of the user's.

The notes are in the user's state folder, where a cloned repository cannot forge them.
"""

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from orchestrator.errors import BadInput, NotOwned, Refused, TuneSkillError, WriteFailed
from orchestrator.fs.durable import ensure_private_dir
from orchestrator.fs.notes import get_note_file, read_note, read_note_file, write_note

_KIND = "created"
_WRITTEN = "written"
"""The kind of notes with the SHA-256 of what an installation wrote to a file last."""


def ensure_own_notes() -> None:
    """Raise Refused if the state folder belongs to another user: nothing that is recorded could be read later."""
    with suppress(BadInput):
        try:
            get_note_file(_KIND, Path())
        except NotOwned as error:
            raise Refused(f"{error}; nothing was changed") from error


def ensure_can_note() -> None:
    """Create the folder of the notes. Raises WriteFailed if that fails, because `uninstall` needs the notes.

    Without a home folder nothing is recorded.
    """
    with suppress(BadInput):
        folder = get_note_file(_KIND, Path()).parent
        try:
            ensure_private_dir(folder)
        except WriteFailed as error:
            raise WriteFailed(f"{error} with XDG_STATE_HOME") from error


def note_created(path: Path) -> None:
    """Record that an installation creates a file or folder. Raises WriteFailed.

    Without a home folder nothing is recorded.
    """
    with suppress(BadInput):
        write_note(_KIND, _resolve(path), True)


def was_created(path: Path) -> bool:
    """Return whether an installation of this user created a file or folder."""
    return read_note(_KIND, _resolve(path)) is True


def forget_created(path: Path) -> None:
    """Remove the record that a file or folder was created."""
    _forget(_KIND, path)


def note_written(path: Path, content: bytes | None) -> None:
    """Record what an installation writes to a file, or remove the record if `content` is None. Raises WriteFailed."""
    note_digest(path, None if content is None else sha256(content).hexdigest())


def note_digest(path: Path, digest: str | None) -> None:
    """Record the digest of what an installation writes to a file, or remove the record. Raises WriteFailed.

    Without a home folder nothing is recorded.
    """
    if digest is None:
        _forget(_WRITTEN, path)
        return
    with suppress(BadInput):
        write_note(_WRITTEN, _resolve(path), digest)


def find_digest(path: Path) -> str | None:
    """Return the digest of what an installation of this user wrote to a file, which may have changed since, or None."""
    digest = read_note(_WRITTEN, _resolve(path))
    return digest if isinstance(digest, str) else None


def was_written(path: Path, content: bytes) -> bool:
    """Return whether an installation of this user wrote this content to a file, and nothing else since."""
    return find_digest(path) == sha256(content).hexdigest()


def was_written_anywhere(content: bytes) -> bool:
    """Return whether an installation of this user wrote this content to any file: the project may have been moved."""
    digest = sha256(content).hexdigest()
    with suppress(BadInput):
        return any(
            read_note_file(file, str) == digest for file in get_note_file(_WRITTEN, Path()).parent.glob("*.json")
        )
    return False


def list_missing_folders(path: Path) -> list[Path]:
    """Return the folders of a path that do not exist, innermost first."""
    return [folder for folder in path.parents if not folder.exists()]


def create_folders(path: Path) -> None:
    """Create and record the missing folders of a path. Each is recorded first, in case the command is killed.

    Raises WriteFailed if a folder cannot be recorded, and OSError if it cannot be created.
    """
    for folder in reversed(list_missing_folders(path)):
        note_created(folder)
        folder.mkdir(exist_ok=True)


def remove_empty_folders(folder: Path) -> None:
    """Remove a folder and its parents, up to one that is not empty or that no installation created."""
    with suppress(OSError):
        while was_created(folder) or not folder.exists():
            with suppress(FileNotFoundError):
                folder.rmdir()
            forget_created(folder)
            folder = folder.parent


def _forget(kind: str, path: Path) -> None:
    with suppress(OSError, TuneSkillError):
        get_note_file(kind, _resolve(path)).unlink(missing_ok=True)


def _resolve(path: Path) -> Path:
    return Path(os.path.realpath(path))
