"""Read regular files without hanging; create folders and remove files durably."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.errors import WriteFailed
from orchestrator.fs import nofollow
from orchestrator.fs.durable import closing

MAX_BYTES = 64 * 1024 * 1024
"""Maximum size of a file to read or copy."""

_IN_USE_OR_GONE = {errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR, errno.EBUSY}
"""Errors of rmdir that are ignored: the folder is gone, not empty or in use."""


@contextmanager
def wrap_os_errors(problem: str) -> Iterator[None]:
    """Convert an OSError in the block to WriteFailed. `problem` begins its message: "cannot write FILE"."""
    try:
        yield
    except OSError as error:
        raise WriteFailed(f"{problem}: {error.strerror}; check permissions and free space, then try again") from error


def read_regular(path: Path) -> bytes | None:
    """Return the bytes of the file at `path`, or None if it is missing. Links and pipes raise OSError."""
    try:
        return nofollow.read(str(path), MAX_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None


def sync(path: Path) -> None:
    """Flush a file, or the entries of a folder, to the disk."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems cannot sync folders
            raise
    finally:
        os.close(fd)


def find_missing_parents(path: Path) -> list[Path]:
    """Return the missing folders above `path`, outermost first."""
    return [folder for folder in reversed(path.parents) if not folder.exists()]


def make_parents(path: Path) -> None:
    """Create the folders above `path` durably. Raises WriteFailed."""
    with wrap_os_errors(f"cannot create the folder of {path}"):
        for folder in find_missing_parents(path):
            folder.mkdir(exist_ok=True)
            sync(folder.parent)


def remove_file(path: Path) -> None:
    """Remove the file at `path` durably. Raises WriteFailed."""
    with wrap_os_errors(f"cannot remove {path}"):
        path.unlink()
        sync(path.parent)


def change_mode(path: Path, old: int, new: int) -> bool:
    """Change a file's mode from `old` to `new` durably. Returns False if it has neither mode. Raises WriteFailed."""
    with wrap_os_errors(f"cannot change the mode of {path}"), closing(nofollow.open_file(str(path), os.O_RDONLY)) as fd:
        mode = stat.S_IMODE(os.fstat(fd).st_mode)
        if mode == old != new:
            os.fchmod(fd, new)
            os.fsync(fd)
        return mode in (old, new)


def remove_empty(folder: Path) -> None:
    """Remove `folder` durably if it exists and is empty. Raises WriteFailed."""
    with wrap_os_errors(f"cannot remove {folder}"):
        try:
            folder.rmdir()
        except OSError as error:
            if error.errno not in _IN_USE_OR_GONE:
                raise
        else:
            sync(folder.parent)
