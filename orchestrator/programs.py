"""The compiled patterns of earlier runs, in the user's cache folder, as Python keeps its byte code.

To compile them takes half a second in each process, to read them a hundredth. The file holds nothing of a skill.
Whatever is wrong with it, or with the folder, it is as if it were not there.
"""

import hashlib
import json
from contextlib import suppress
from functools import cache
from pathlib import Path

from actions.model import compiled
from actions.model.regex import all_stand
from actions.patterns import of_skill
from orchestrator.durable import encode_value, write_bytes
from orchestrator.errors import TuneSkillError
from orchestrator.home import xdg_folder
from orchestrator.version import version

_WORTH = 40
"""New patterns that are worth writing the file anew: some 30 ms of work."""


@cache
def _read() -> set[str]:
    """Take the kept patterns over, once in a process; give the set of those that stand in the file."""
    with suppress(OSError, ValueError, TypeError, AttributeError, TuneSkillError):
        digest, _, text = _file().read_bytes().partition(b"\n")
        if digest == _digest(text):
            for key, program in json.loads(text).items():
                compiled.known.setdefault(key, program)
            return set(compiled.known)
    return set()


def remember_patterns() -> None:
    """Load the patterns that read a skill, and take over what an earlier run compiled of them."""
    of_skill()
    all_stand()
    _read()


def keep_patterns() -> None:
    """Write down what this process compiled, where it is worth it."""
    kept = _read()
    if compiled.ENGINE and len(compiled.known) - len(kept) >= _WORTH:
        kept.update(compiled.known)
        text = encode_value(compiled.known)
        with suppress(OSError, TuneSkillError):
            _file().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_bytes(_file(), _digest(text) + b"\n" + text, mode=0o600, sync=False)


def _file() -> Path:
    engine = hashlib.sha256(f"{version()} {compiled.ENGINE}".encode()).hexdigest()[:16]
    return xdg_folder("XDG_CACHE_HOME", ".cache") / f"patterns-{engine}.json"


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()
