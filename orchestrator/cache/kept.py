"""The files of the cache: a line with the hash of what follows, and JSON.

Whatever is wrong with a file, or with its folder, it is as if it were not there. Nothing here raises for that.
"""

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from orchestrator.durable import encode_value, write_bytes
from orchestrator.errors import TuneSkillError


def read_kept(file: Path) -> Any:
    """Give the value that stands in a file; None where no whole one does."""
    with suppress(OSError, ValueError, RecursionError):
        digest, _, text = file.read_bytes().partition(b"\n")
        if digest == _digest(text):
            return json.loads(text)
    return None


def keep(file: Path, value: Any) -> None:
    """Write a value that may be lost again; the folder is made, for the user alone. Raises ValueError for NaN."""
    text = encode_value(value)
    with suppress(OSError, TuneSkillError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_bytes(file, _digest(text) + b"\n" + text, mode=0o600, sync=False)


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()
