"""Show other processes whether this process is still running.

Each process keeps a lock on a file of its own. The system releases the lock when the process ends, even after SIGKILL.
"""

import fcntl
import os
import secrets
from pathlib import Path

from actions.regex import regex
from orchestrator.fs import durable, nofollow
from orchestrator.fs.append_log import is_locked_by_other

_NAME = regex(r"[0-9a-f]{16}")
_names: dict[Path, str] = {}
"""The names of this process, by folder."""


def register(folder: Path) -> str:
    """Return the name of this process in a folder of presence files. Raises OSError.

    The callers of a folder must take turns, because the file is created before it is locked. Files of processes that
    have ended are removed.
    """
    if folder not in _names:
        durable.ensure_dir(folder)
        for path in folder.iterdir():
            if _NAME.fullmatch(path.name) and not is_running(folder, path.name):
                path.unlink(missing_ok=True)
        name = secrets.token_hex(8)
        fd = nofollow.open_file(str(folder / name), os.O_RDWR | os.O_CREAT)  # open until this process ends
        fcntl.flock(fd, fcntl.LOCK_EX)
        _names[folder] = name
    return _names[folder]


def is_running(folder: Path, name: str) -> bool:
    """Return whether the process with this name in a folder is running."""
    try:
        fd = nofollow.open_file(str(folder / Path(name).name), os.O_RDONLY)
    except (OSError, ValueError):  # ValueError: a name that cannot be a file
        return False
    try:
        return is_locked_by_other(fd)
    finally:
        os.close(fd)
