"""The compiled patterns of earlier runs, as Python keeps its byte code.

To compile them takes half a second in each process, to read them a hundredth. The file holds nothing of a skill.
"""

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path

from actions.patterns import of_skill
from actions.skill import compiled
from actions.skill.regex import all_stand
from orchestrator.cache.kept import keep, read_kept
from orchestrator.errors import TuneSkillError
from orchestrator.home import xdg_folder
from orchestrator.version import version

_WORTH = 40
"""New patterns that are worth writing the file anew: some 30 ms of work."""

_MOST = 2
"""Files that stay when one is written: of two Pythons in turn, neither compiles anew. Each has 2 MB."""


@cache
def _read() -> set[str]:
    """Take the kept patterns over, once in a process; give the set of those that stand in the file."""
    with suppress(OSError, TypeError, AttributeError, TuneSkillError):
        for key, program in read_kept(_file()).items():
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
        with suppress(OSError, TuneSkillError):
            keep(_file(), compiled.known)
            files = sorted(_file().parent.glob("patterns-*.json"), key=lambda file: file.stat().st_mtime)
            for old in files[:-_MOST]:
                old.unlink(missing_ok=True)


def _file() -> Path:
    """Give the file of these patterns: what another version, engine or way to put them together made is in another."""
    maker = Path(compiled.__file__).with_name("tries.py").read_bytes()
    engine = hashlib.sha256(f"{version()} {compiled.ENGINE}".encode() + maker).hexdigest()[:16]
    return xdg_folder("XDG_CACHE_HOME", ".cache") / f"patterns-{engine}.json"
