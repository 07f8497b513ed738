"""Small acts on the disk: read without hanging, make folders that survive a power cut, remove files."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.errors import WriteFailed
from orchestrator.fs import nofollow

LIMIT = 64 * 1024 * 1024
"""Bytes of a file that is read or copied whole."""

_NOT_OURS = {errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR, errno.EBUSY}
"""Why a folder that a fix made is no longer to be removed: it is gone, or someone uses it."""


@contextmanager
def told(what: str) -> Iterator[None]:
    """Raise WriteFailed that says `what` failed, in place of an OSError."""
    try:
        yield
    except OSError as error:
        raise WriteFailed(f"{what}: {error.strerror}; check permissions and space, then repeat") from error


def read_regular(path: Path) -> bytes | None:
    """The bytes of the file at `path`, None when there is none; follows no link, waits for no pipe."""
    try:
        return nofollow.read(str(path), LIMIT)
    except (FileNotFoundError, NotADirectoryError):
        return None


def sync(path: Path) -> None:
    """Make a file of ours, or the names in a folder, durable."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system that cannot sync folders
            raise
    finally:
        os.close(fd)


def missing_parents(path: Path) -> list[Path]:
    """The folders above `path` that are not there, outermost first."""
    return [folder for folder in reversed(path.parents) if not folder.exists()]


def make_parents(path: Path) -> None:
    """Make the folders above `path`, durably; raises WriteFailed."""
    with told(f"cannot make the folder of {path}"):
        for folder in missing_parents(path):
            folder.mkdir(exist_ok=True)
            sync(folder.parent)


def remove_file(path: Path) -> None:
    """Remove the file at `path`, durably; raises WriteFailed."""
    with told(f"cannot remove {path}"):
        path.unlink()
        sync(path.parent)


def remove_empty(folder: Path) -> None:
    """Remove `folder`, durably, if it is there and empty; raises WriteFailed."""
    with told(f"cannot remove {folder}"):
        try:
            folder.rmdir()
        except OSError as error:
            if error.errno not in _NOT_OURS:
                raise
        else:
            sync(folder.parent)
