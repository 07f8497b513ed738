"""What diagnoses gave before: a skill that has not changed is not looked at again.

A file holds the row of one skill, and is named by the hash of all that the row depends on: the skill's text and
names, its settings, the code of tune-skill, Python and the YAML parser.
"""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from actions.case import Case
from orchestrator.engine.cache_files import keep, read_kept
from orchestrator.engine.rows import Row
from orchestrator.fs.durable import encode_value
from orchestrator.fs.home import xdg_folder
from schemas.codec import from_json, to_json

_MOST = 64_000_000
"""Bytes in the folder above which the oldest rows go, down to half of it. A row has about 3,000."""
_CORE = ("actions", "schemas")
_NO_ROW = (ValueError, LookupError, TypeError, AttributeError)


def cache_folder() -> Path:
    """Give `$XDG_CACHE_HOME/tune-skill/diagnose`, in `~/.cache` without it. Raises BadInput where no home is."""
    return xdg_folder("XDG_CACHE_HOME", ".cache") / "diagnose"


@dataclass(frozen=True)
class Cache:
    """The rows in a folder, which is made when the first one is kept. Nothing here raises."""

    folder: Path

    def get(self, case: Case) -> Row | None:
        """Give the row of a case, without its path; None where it is not known."""
        with suppress(*_NO_ROW):
            return from_json(Row, read_kept(self._file(case)))
        return None

    def put(self, case: Case, row: Row) -> None:
        """Keep the row of a case."""
        keep(self._file(case), to_json(row))

    @contextmanager
    def trimmed(self) -> Iterator[None]:
        """Take the oldest rows away afterwards, where there are too many and one was kept meanwhile."""
        before = self._changed()
        yield
        if self._changed() != before:
            self.trim()

    def _changed(self) -> int:
        with suppress(OSError):
            return self.folder.stat().st_mtime_ns
        return 0

    def trim(self) -> None:
        """Take the oldest rows away where there are too many."""
        with suppress(OSError):
            files = sorted((info.st_mtime, info.st_size, path) for path, info in self._files())
            room = sum(size for _, size, _ in files)
            if room <= _MOST:
                return
            for _, size, path in files:
                if room <= _MOST // 2:
                    break
                Path(path).unlink(missing_ok=True)
                room -= size

    def _file(self, case: Case) -> Path:
        return self.folder / _key(case)

    def _files(self) -> Iterator[tuple[str, os.stat_result]]:
        with os.scandir(self.folder) as entries:
            yield from ((entry.path, entry.stat()) for entry in entries)


def _key(case: Case) -> str:
    skill = case.skill
    files = [(file.path, file.sha256) for file in skill.files]
    names = (skill.folder, files, to_json(skill.opaque), skill.notes, sorted(skill.outside))
    parts = (_code(), *names, to_json(case.settings))
    return hashlib.sha256(encode_value(parts)).hexdigest()


@cache
def _code() -> str:
    """Give the hash of all code that a row depends on."""
    house = Path(__file__).resolve().parents[2]
    files = [path for name in _CORE for path in (house / name).rglob("*.py")]
    shell = (house / "orchestrator").glob("*.py")
    yaml = find_spec("yaml")
    known = hashlib.sha256(sys.version.encode())
    for path in (*sorted(files), *sorted(shell), *([yaml.origin] if yaml and yaml.origin else ())):
        known.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return known.hexdigest()
