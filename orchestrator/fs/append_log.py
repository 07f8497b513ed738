"""Append lines to log files, with one write per call.

The recording hooks load this module at every tool call, so it imports nothing but os, fcntl and `nofollow`.
"""

import fcntl
import os

from orchestrator.fs import nofollow

TYPE_CHECKING = False  # `typing` takes longer to load than this module
if TYPE_CHECKING:
    from collections.abc import Callable

PART_BYTES = 32_000_000
"""Maximum size of one file of a log. A full file is renamed to a closed part, and a new file is started."""

PARTS = 16
"""Maximum number of closed parts. Older parts are deleted."""


def append(fd: int, data: bytes, *, sync: bool = False) -> int:
    """Append whole lines to an open file with one write. Returns the offset of the first line.

    sync: wait until the lines are on the disk. Raises OSError if that fails. Then the file is not changed.
    """
    size = os.fstat(fd).st_size
    if os.write(fd, data) != len(data):
        os.ftruncate(fd, size)
        raise OSError(28, "no space for the line on the disk")
    if sync:
        os.fsync(fd)
    return size


def lock(fd: int, *, wait: bool = True) -> None:
    """Lock an open log until it is closed. Raises BlockingIOError if `wait` is False and another process locked it."""
    fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_locked_by_other(fd: int) -> bool:
    """Return whether another process has locked an open log. To find out, this locks the log and unlocks it at once."""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(fd, fcntl.LOCK_UN)
    return False


def append_line(
    path: str, line: bytes, part_bytes: int = PART_BYTES, rotate: "Callable[[str], None] | None" = None
) -> None:
    """Append a line (without its newline) to a log that several processes share. The log is locked meanwhile.

    rotate: renames the log if the line would make it larger than `part_bytes`. The default gives it the number of the
    next part. Raises OSError if the line cannot be written. The log is not changed then.
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
    """Append the line. Returns False if another process has renamed the file, or if it was full and is now renamed."""
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
            line = b"\n" + line  # the last line is incomplete because its writer was killed: do not continue it
        append(fd, line)
        return True
    finally:
        os.close(fd)


def _open(path: str) -> int:
    """Open the log at `path`. If it or its folder does not exist, it is created."""
    folder = path.rpartition("/")[0] or "."
    is_ours = folder.rpartition("/")[2] in nofollow.OURS
    if not (nofollow.is_regular(f"{folder}/.gitignore") if is_ours else os.path.lexists(folder)):
        from pathlib import Path

        from orchestrator.fs.durable import ensure_private_dir

        ensure_private_dir(Path(folder))
    return nofollow.open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)


def _is_current(fd: int, path: str) -> bool:
    """Return whether an open file is still the file at `path`. Another process could have renamed it."""
    try:
        current = os.lstat(path)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(fd), current)


def _close_part(path: str) -> None:
    """Rename the full log to the next numbered part, and delete old parts. The caller must have locked the log."""
    closed = list_parts(path)
    number = int(closed[-1].rpartition(".")[2]) + 1 if closed else 1
    os.rename(path, f"{path}.{number:06d}")  # noqa: PTH104
    for old in closed[: max(0, len(closed) + 1 - PARTS)]:
        os.unlink(old)  # noqa: PTH108
