"""Read and write cache files. The first line is the hash of the rest, which is JSON.

A damaged or unsafe file or folder counts as missing and raises no error.
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

_MAX_BYTES = 64_000_000
"""Maximum size of a file to read. Real files are far smaller."""


def read_cached(file: Path) -> Any:
    """Return the value in a file, or None if it is missing, damaged or writable by others."""
    with suppress(OSError, ValueError, RecursionError):
        info = file.lstat()
        is_readable = S_ISREG(info.st_mode) and info.st_size <= _MAX_BYTES
        if is_readable and _is_private(info) and _is_private(file.parent.stat()):
            digest, _, text = file.read_bytes().partition(b"\n")
            if digest == _compute_digest(file, text):
                return json.loads(text)
    return None


def write_cached(file: Path, value: Any) -> None:
    """Write a value. A missing folder is created, private to the user. Raises ValueError for NaN."""
    text = encode_value(value)
    with suppress(OSError, TuneSkillError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_private(file.parent.stat()):
            write_bytes(file, _compute_digest(file, text) + b"\n" + text, mode=0o600, sync=False)


def _is_private(info: os.stat_result) -> bool:
    """Return whether only this user can write a file or folder, so that others cannot plant findings."""
    return info.st_uid == os.geteuid() and not info.st_mode & (S_IWGRP | S_IWOTH)


def _compute_digest(file: Path, text: bytes) -> bytes:
    """Return the hash of a file's name and text. It includes the name, so a renamed file is invalid."""
    return hashlib.sha256(file.name.encode() + b"\n" + text).hexdigest().encode()
