"""The files of the cache: a line with the hash of what follows, and JSON.

Whatever is wrong with a file, or with its folder, it is as if it were not there. Nothing here raises for that.
"""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG, S_IWGRP, S_IWOTH
from typing import Any

from orchestrator.errors import TuneSkillError
from orchestrator.fs.durable import encode_value, write_bytes

_MOST = 64_000_000
"""Bytes of a file; far above what is written."""


def read_kept(file: Path) -> Any:
    """Give the value that stands in a file; None where no whole one does."""
    with suppress(OSError, ValueError, RecursionError):
        info = file.lstat()
        if S_ISREG(info.st_mode) and info.st_size <= _MOST and _is_own(info) and _is_own(file.parent.stat()):
            digest, _, text = file.read_bytes().partition(b"\n")
            if digest == _digest(file, text):
                return json.loads(text)
    return None


def keep(file: Path, value: Any) -> None:
    """Write a value that may be lost again; the folder is made, for the user alone. Raises ValueError for NaN."""
    text = encode_value(value)
    with suppress(OSError, TuneSkillError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_own(file.parent.stat()):
            write_bytes(file, _digest(file, text) + b"\n" + text, mode=0o600, sync=False)


def _is_own(info: os.stat_result) -> bool:
    """Return whether nobody but this user can have written a file, or into a folder: others' findings are not ours."""
    return info.st_uid == os.geteuid() and not info.st_mode & (S_IWGRP | S_IWOTH)


def _digest(file: Path, text: bytes) -> bytes:
    """Give the hash of a file's name and text: one file is no other, though it stands in its place."""
    return hashlib.sha256(file.name.encode() + b"\n" + text).hexdigest().encode()
