"""Append lines to log files, with one write per call.

The recording hooks load this module at every tool call, so it imports nothing but errno, os, fcntl and `nofollow`.
"""

import errno
import fcntl
import os

from orchestrator.fs import nofollow

TYPE_CHECKING = False  # `typing` takes longer to load than this module
if TYPE_CHECKING:
    from collections.abc import Callable

PART_BYTES = 32_000_000
"""Maximum size of a log file. A full file is renamed to a closed part, and a new file is started."""

PARTS = 16
"""Maximum number of closed parts. Older parts are deleted."""

FULL = (errno.ENOSPC, errno.EDQUOT)
"""The errors of a full disk."""


def append(fd: int, data: bytes, *, sync: bool = False) -> int:
    """Append whole lines to an open file with one write, and return the offset of the first line.

    With `sync`, wait until the lines are on the disk. Raises OSError; what a full disk took of the lines is undone.
    """
    size = os.fstat(fd).st_size
    if os.write(fd, data) != len(data):
        os.ftruncate(fd, size)
        raise OSError(errno.ENOSPC, "no space left on the disk")
    if sync:
        _sync(fd, size)
    return size


def _sync(fd: int, size: int) -> None:
    """Wait until an open file is on the disk. If the disk is full, as a network disk says only now, restore `size`."""
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno in FULL:
            os.ftruncate(fd, size)
        raise


def lock(fd: int, *, wait: bool = True) -> None:
    """Lock an open log until it is closed. Without `wait`, raise BlockingIOError if another process has locked it."""
    fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_locked_by_other(fd: int) -> bool:
    """Return whether another process has locked an open file, by locking and unlocking it.

    Returns False if the file system has no locks, because no process can have locked the file then.
    """
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return isinstance(error, BlockingIOError)
    fcntl.flock(fd, fcntl.LOCK_UN)
    return False


def append_line(
    path: str, line: bytes, part_bytes: int = PART_BYTES, rotate: "Callable[[str], None] | None" = None
) -> None:
    """Append a line (without its newline) to a log that several processes share, under a lock.

    `rotate` renames the log if the line would make it larger than `part_bytes`. By default, the log becomes the next
    numbered part. Raises OSError without changing the log if the line cannot be written.
    """
    while not _try_append(path, line + b"\n", part_bytes, rotate or _close_part):
        pass


def list_parts(path: str) -> list[str]:
    """Return the closed parts of the log at `path`, oldest first."""
    folder, _, name = path.rpartition("/")
    try:
        names = os.listdir(folder or ".")  # noqa: PTH208
    except FileNotFoundError:
        return []
    prefix = f"{name}."
    part_names = [part for part in sorted(names) if part.startswith(prefix) and part[len(prefix) :].isdigit()]
    return [f"{folder or '.'}/{part}" for part in part_names]


def _try_append(path: str, line: bytes, part_bytes: int, rotate: "Callable[[str], None]") -> bool:
    """Append the line. Returns False if the file was renamed, by another process or because it was full."""
    fd = _open(path)
    try:
        lock(fd)
        if not _is_current(fd, path):
            return False
        size = os.fstat(fd).st_size
        if size and size + len(line) > part_bytes:
            rotate(path)
            return False
        if size and os.pread(fd, 1, size - 1) != b"\n":
            line = b"\n" + line  # a killed writer left the last line incomplete: start a new one
        append(fd, line)
        return True
    finally:
        os.close(fd)


def _open(path: str) -> int:
    """Open the log at `path`, and create it and its folder if they are missing."""
    folder = path.rpartition("/")[0] or "."
    is_own = folder.rpartition("/")[2] in nofollow.OWN_FOLDERS
    if not (nofollow.is_regular(f"{folder}/.gitignore") if is_own else os.path.lexists(folder)):
        from pathlib import Path

        from orchestrator.fs.durable import ensure_private_dir

        ensure_private_dir(Path(folder))
    fd = nofollow.open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    if os.fstat(fd).st_uid != os.geteuid():  # its owner could read the lines, also those of root
        os.close(fd)
        raise OSError(errno.EPERM, "the file belongs to another user")
    return fd


def _is_current(fd: int, path: str) -> bool:
    """Return whether an open file is still the file at `path`, which another process could have renamed."""
    try:
        current = os.lstat(path)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(fd), current)


def _close_part(path: str) -> None:
    """Rename the full log to the next numbered part, and delete old parts. The caller must hold the lock."""
    closed = list_parts(path)
    number = int(closed[-1].rpartition(".")[2]) + 1 if closed else 1
    os.rename(path, f"{path}.{number:06d}")  # noqa: PTH104
    for old in closed[: max(0, len(closed) + 1 - PARTS)]:
        os.unlink(old)  # noqa: PTH108
