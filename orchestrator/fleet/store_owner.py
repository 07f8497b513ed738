"""Record which lines of a result store this user wrote, because a cloned repository could contain forged results.

The record is a file in the user's state folder, with a digest of 16 bytes for each line of the store.
"""

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from orchestrator.errors import TuneSkillError
from orchestrator.fs import nofollow
from orchestrator.fs.append_log import append
from orchestrator.fs.durable import closing, ensure_private_dir
from orchestrator.fs.notes import get_note_file

_DIGEST_SIZE = 16


def digest(line: bytes) -> bytes:
    """Return the digest that identifies a line."""
    return hashlib.blake2b(line, digest_size=_DIGEST_SIZE).digest()


def read_own_lines(store: Path) -> set[bytes]:
    """Return the digests of the lines that this user wrote to a store, or an empty set if they are unknown."""
    with suppress(TuneSkillError, OSError):
        digests = nofollow.read(str(_get_record_file(store)), is_own=True)
        return {digests[at : at + _DIGEST_SIZE] for at in range(0, len(digests), _DIGEST_SIZE)}
    return set()


def record_own_lines(store: Path, lines: Iterable[bytes], *, replace: bool = False) -> None:
    """Record lines before they are added to a store. With `replace`, earlier records are deleted.

    Does nothing if the user's state folder cannot be written. The next fleet then scans all skills again.
    """
    with suppress(TuneSkillError, OSError):
        file = _get_record_file(store)
        ensure_private_dir(file.parent)
        with closing(nofollow.open_file(str(file), os.O_WRONLY | os.O_APPEND | os.O_CREAT)) as fd:
            size = 0 if replace else os.fstat(fd).st_size
            os.ftruncate(fd, size - size % _DIGEST_SIZE)  # a killed writer may have left part of a digest
            append(fd, b"".join(map(digest, lines)))


def _get_record_file(store: Path) -> Path:
    return get_note_file("fleets", Path(os.path.realpath(store))).with_suffix(".lines")
