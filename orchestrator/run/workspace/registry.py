"""Lock a skill for one run. One small file per skill is the lock, and names the run that holds it."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from orchestrator.errors import BadInput, Busy
from orchestrator.fs import nofollow
from orchestrator.fs.append_log import is_locked_by_other
from orchestrator.fs.disk import sync, wrap_os_errors
from orchestrator.fs.durable import encode, ensure_private_dir
from orchestrator.fs.notes import get_note_file, read_note_file, read_record
from schemas.codec import to_json

_KIND = "skills"
_MAX_ATTEMPTS, _DELAY = 5, 0.05  # seconds; a reader (see `is_held`) holds the lock for some microseconds


class Claim(msgspec.Struct, frozen=True):
    """The run that has locked a skill, or was the last to lock it."""

    run_id: str
    skill: str
    work_dir: str
    journal: str
    pid: int


def get_registry_file(skill: Path) -> Path:
    """Return the registry file of the skill with the real path `skill`."""
    return get_note_file(_KIND, skill)


def read_last_claim(skill: Path) -> Claim | None:
    """Return the run that holds `skill` or held it last. None if there is none, or the user has no home folder."""
    return read_record(_KIND, skill, Claim)


def list_claims() -> list[tuple[Claim, float]]:
    """Return this user's runs that hold a skill or held it last, and when each locked it, newest first.

    The times are POSIX timestamps in seconds. Returns [] if the user has no home folder.
    """
    with suppress(BadInput, OSError):
        files = [(file.stat().st_mtime, file) for file in get_registry_file(Path()).parent.glob("*.json")]
        found = ((read_note_file(file, Claim), time) for time, file in sorted(files, reverse=True))
        return [(claim, time) for claim, time in found if claim]
    return []


def is_held(skill: Path) -> bool:
    """Return whether a run holds `skill` now, without changing anything."""
    try:
        fd = os.open(get_registry_file(skill), os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        return False
    try:
        return is_locked_by_other(fd)
    finally:
        os.close(fd)


@contextmanager
def lock(skill: Path) -> Iterator[int]:
    """Lock `skill` in the block. Yields the open registry file. Raises Busy if another run has locked the skill."""
    path = get_registry_file(skill)
    problem = f"cannot lock {skill} with {path}"
    with wrap_os_errors(problem):
        ensure_private_dir(path.parent)
        fd = nofollow.open_file(str(path), os.O_RDWR | os.O_CREAT)
    try:
        with wrap_os_errors(problem):  # some network file systems have no locks
            is_locked = _try_lock(fd)
        if not is_locked:
            raise _build_busy(skill)
        yield fd
    finally:
        os.close(fd)


def claim(fd: int, holder: Claim) -> None:
    """Write `holder` to the locked file in place, because a rename would leave the lock on the old file.

    An incomplete write is harmless: neither the previous run nor the new one has an open journal entry at this time.
    """
    path = get_registry_file(Path(holder.skill))
    with wrap_os_errors(f"cannot write {path}"):
        os.truncate(fd, 0)
        os.pwrite(fd, encode(to_json(holder)), 0)
        os.fsync(fd)
        sync(path.parent)


def _try_lock(fd: int) -> bool:
    for _ in range(_MAX_ATTEMPTS):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_DELAY)
        else:
            return True
    return False


def _build_busy(skill: Path) -> Busy:
    holder = read_last_claim(skill)
    run = f"run {holder.run_id} (pid {holder.pid}, work dir {holder.work_dir})" if holder else "another run"
    kind = "file" if skill.is_file() else "skill"
    return Busy(f"{skill}: {run} is changing this {kind}; wait until it ends, or stop it")
