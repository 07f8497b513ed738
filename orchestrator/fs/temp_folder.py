"""Create temporary folders, and remove the ones that killed commands left.

A folder is locked while its command runs. The system releases the lock when the command ends for any reason.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from actions.regex import regex
from orchestrator.fs.append_log import lock

_RANDOM = regex(r"[0-9a-f]{16}")


@contextmanager
def create_temp_folder(purpose: str, within: Path | None = None) -> Iterator[Path]:
    """Create a folder that exists during the block.

    The name of the folder contains the word `purpose`. Folders of the same purpose that killed commands left are
    removed first. `within` is the parent folder, by default the system's folder for temporary files. Raises OSError if
    the folder cannot be created.
    """
    parent, prefix = Path(within or tempfile.gettempdir()), f"tune-skill-{purpose}-"
    _remove_abandoned(parent, prefix)
    folder, fd = _create_locked(parent, prefix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if fd is not None:
            os.close(fd)


def _create_locked(parent: Path, prefix: str) -> tuple[Path, int | None]:
    """Create and lock a folder. Returns it with the descriptor of the lock (None on a disk without locks)."""
    while True:
        folder = parent / f"{prefix}{os.urandom(8).hex()}"
        folder.mkdir(mode=0o700)
        fd = _lock_own(folder, wait=True)
        if fd is not None or folder.exists():
            return folder, fd  # otherwise another command has just removed the folder as abandoned


def _remove_abandoned(parent: Path, prefix: str) -> None:
    """Remove the folders with this prefix that no running command has locked, as far as possible."""
    with suppress(OSError):
        names = [name for name in os.listdir(parent) if name.startswith(prefix)]  # noqa: PTH208
        for folder in (parent / name for name in names if _RANDOM.fullmatch(name[len(prefix) :])):
            if (fd := _lock_own(folder, wait=False)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(fd)


def _lock_own(folder: Path, *, wait: bool) -> int | None:
    """Lock a folder and return the descriptor of the lock. With `wait`, wait for other locks.

    Returns None if the folder cannot be locked, does not exist, is a link, or is accessible to other users.
    """
    with suppress(OSError):
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            lock(fd, wait=wait)
            if _is_private(status := os.fstat(fd)) and os.path.samestat(status, os.lstat(folder)):
                return fd
        except OSError:
            pass
        os.close(fd)
    return None


def _is_private(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077
