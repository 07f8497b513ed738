"""The file of the event log: where it stands, and how a line gets into it.

The recording hooks start with this module at every tool call, so it imports nothing but os, fcntl and `nofollow`.
"""

import fcntl
import os

from orchestrator.fs import nofollow

FOLDER = ".maceff"
NAME = "agent_events_log.jsonl"
PART_BYTES = 32_000_000
"""A part of the log that would grow beyond this is closed and a new one begun."""
PARTS = 16
"""How many closed parts stay; the oldest beyond are removed."""

_MARKS = (FOLDER, ".git", ".claude")
_SHARED = 0o1002
"""The mode of a folder into which all may write, and remove only what is theirs."""


def project_root(start: str = "") -> str:
    """Give the project: CLAUDE_PROJECT_DIR, else the nearest folder above `start` that is marked as one.

    A mark is `.maceff`, `.git` or `.claude`; the home folder, which holds a `.claude` of another kind, is none, nor is
    a folder that all share (`/tmp`), where anyone may have put one.
    Without a mark it is `start` itself, by default the working directory. Raises BadInput when that one is gone.
    """
    given = os.environ.get("CLAUDE_PROJECT_DIR", "")
    if not start and given.startswith("/"):
        return given
    start = start or _working_directory()
    home, folder = os.environ.get("HOME", ""), start
    while folder != "/":
        marked = any(os.path.exists(f"{folder}/{mark}") for mark in _MARKS)  # noqa: PTH110
        if marked and folder != home and os.stat(folder).st_mode & _SHARED != _SHARED:  # noqa: PTH116
            return folder
        folder = os.path.dirname(folder) or "/"  # noqa: PTH120
    return start


def log_path() -> str:
    """Give the path of this project's event log; MACF_EVENTS_LOG_PATH overrides it."""
    return os.environ.get("MACF_EVENTS_LOG_PATH") or f"{project_root()}/{FOLDER}/{NAME}"


def append(path: str, line: bytes, part_bytes: int = PART_BYTES) -> None:
    """Add a line (without its end) with one write under a lock. Raises OSError, and the log is as it was."""
    while not _appended(path, line + b"\n", part_bytes):
        pass


def parts(path: str) -> list[str]:
    """Give the closed parts of the log at `path`, oldest first."""
    folder, _, name = path.rpartition("/")
    try:
        names = os.listdir(folder or ".")  # noqa: PTH208
    except FileNotFoundError:
        return []
    return [f"{folder or '.'}/{n}" for n in sorted(names) if n.startswith(f"{name}.") and n[len(name) + 1 :].isdigit()]


def _working_directory() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - no pathlib here
    except FileNotFoundError as error:
        from orchestrator.errors import BadInput

        raise BadInput("the current folder is not there any more; change to another") from error


def _appended(path: str, line: bytes, part_bytes: int) -> bool:
    """Add the line; False when the file was closed as a part meanwhile, or is full and was closed now."""
    fd = _open(path)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        if not _stands(fd, path):
            return False
        size = os.fstat(fd).st_size
        if size and size + len(line) > part_bytes:
            _close_part(path)
            return False
        if size and os.pread(fd, 1, size - 1) != b"\n":
            line = b"\n" + line  # a writer was killed in its line: do not continue it
        if os.write(fd, line) != len(line):
            os.ftruncate(fd, size)
            raise OSError(28, "the line did not fit on the disk")
        return True
    finally:
        os.close(fd)


def _open(path: str) -> int:
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
    folder = path.rpartition("/")[0] or "."
    ours = folder.rpartition("/")[2] == FOLDER
    if not (nofollow.is_regular(f"{folder}/.gitignore") if ours else os.path.lexists(folder)):
        from pathlib import Path

        from orchestrator.fs.durable import ensure_private_dir

        ensure_private_dir(Path(folder))
    return nofollow.file(path, flags)


def _stands(fd: int, path: str) -> bool:
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(fd), there)


def _close_part(path: str) -> None:
    """Rename the full log to its next part; the caller holds the lock."""
    known = parts(path)
    number = int(known[-1].rpartition(".")[2]) + 1 if known else 1
    os.rename(path, f"{path}.{number:06d}")  # noqa: PTH104
    for old in known[: max(0, len(known) + 1 - PARTS)]:
        os.unlink(old)  # noqa: PTH108
