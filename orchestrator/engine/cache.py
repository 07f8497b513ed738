"""Cache the rows of scans, so that an unchanged skill is not scanned again.

Each file contains the row of one skill. Its name is the hash of everything that the row depends on: the text and names
of the skill, its settings, the sizes and times of the project's files, the code of tune-skill, Python, and the YAML
parser.
"""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import msgspec

from actions.case import Case
from actions.regex import regex
from orchestrator.engine.cache_files import read_cached, write_cached
from orchestrator.engine.rows import Row
from orchestrator.errors import BadInput
from orchestrator.fs.durable import encode_value
from orchestrator.fs.home import find_cache_folder
from schemas.codec import from_json, to_json

_MAX_BYTES = 64_000_000
"""Maximum size of the folder. Above it, old rows are deleted until half is left. A row takes about 3,000 bytes."""
_CORE, _SHELL = ("actions", "schemas"), ("orchestrator", "orchestrator/engine")
"""The folders of the code that a row depends on. `_CORE` includes all subfolders, `_SHELL` does not."""
_ROW_NAME = regex(r"[0-9a-f]{64}")
"""The names of the files. Others in the folder are not tune-skill's, and are not deleted."""
_INVALID_ROW = (ValueError, LookupError, TypeError, AttributeError)


def get_cache_folder() -> Path:
    """Return `$XDG_CACHE_HOME/tune-skill/diagnose`, by default in `~/.cache`. Raises BadInput without a home folder."""
    return find_cache_folder() / "diagnose"


def open_cache() -> "Cache | None":
    """Return the cache of this user, or None without a home folder."""
    with suppress(BadInput):
        return Cache(get_cache_folder())
    return None


class Cache(msgspec.Struct, frozen=True):
    """The cached rows in a folder, which is created with the first row. No method raises an error."""

    folder: Path

    def get(self, case: Case) -> Row | None:
        """Return the cached row of a case, or None. Its path may be that of another copy of the skill."""
        with suppress(*_INVALID_ROW):
            return from_json(Row, read_cached(self._get_file(case)))
        return None

    def write(self, case: Case, row: Row) -> None:
        """Write the row of a case to the cache."""
        write_cached(self._get_file(case), to_json(row))

    @contextmanager
    def trim_afterwards(self) -> Iterator[None]:
        """Trim the cache after the block if the block wrote a row."""
        before = self._read_mtime()
        yield
        if self._read_mtime() != before:
            self.trim()

    def _read_mtime(self) -> int:
        with suppress(OSError):
            return self.folder.stat().st_mtime_ns
        return 0

    def trim(self) -> None:
        """Delete the oldest rows if the folder is too large."""
        with suppress(OSError):
            files = sorted((info.st_mtime, info.st_size, path) for path, info in self._list_files())
            total = sum(size for _, size, _ in files)
            if total <= _MAX_BYTES:
                return
            for _, size, path in files:
                if total <= _MAX_BYTES // 2:
                    break
                Path(path).unlink(missing_ok=True)
                total -= size

    def _get_file(self, case: Case) -> Path:
        return self.folder / _compute_key(case)

    def _list_files(self) -> Iterator[tuple[str, os.stat_result]]:
        with os.scandir(self.folder) as entries:
            own = (entry for entry in entries if _ROW_NAME.fullmatch(entry.name))
            yield from ((entry.path, entry.stat(follow_symlinks=False)) for entry in own)


def _compute_key(case: Case) -> str:
    skill = case.skill
    files = [(file.path, file.sha256) for file in skill.files]
    names = (case.unit.path, skill.folder, files, to_json(skill.opaque), skill.notes, case.project.stamp)
    parts = (_hash_code(), *names, to_json(case.settings))
    return hashlib.sha256(encode_value(parts)).hexdigest()


@cache
def _hash_code() -> str:
    """Return the hash of all code that a row depends on."""
    top = Path(__file__).resolve().parents[2]
    files = [path for name in _CORE for path in (top / name).rglob("*.py")]
    shell = [path for name in _SHELL for path in (top / name).glob("*.py")]
    yaml = find_spec("yaml")
    digest = hashlib.sha256(sys.version.encode())
    for path in (*sorted(files), *sorted(shell), *([yaml.origin] if yaml and yaml.origin else ())):
        digest.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return digest.hexdigest()
