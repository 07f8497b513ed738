"""What stands around a skill, in its repository or plugin: files that it names, and programs that read its keys."""

import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path

from actions.skill.paths import MAIN, MARKDOWN, Role, is_text_path, role_of
from orchestrator.fs import nofollow
from orchestrator.fs.durable import is_own_folder
from orchestrator.fs.notes import WORK_DIRS, read_note

LEFT_OUT = frozenset({".git", "node_modules", "__pycache__", ".venv", ".DS_Store"})
_LEVELS = 8
_TARGETS = 2_000
"""Folders above a skill, and targets, that are looked for around it."""
_KEYS, _FILES, _BYTES, _LONGEST = 20, 5_000, 50_000_000, 1_000_000
"""How many keys are looked for, and in how much: files, bytes of all, bytes of a file that somebody wrote."""


def standing(root: Path, targets: Iterable[str]) -> frozenset[str]:
    """Return the targets that stand in a folder around the skill, up to its repository or plugin.

    Of those that begin with `..`, the ones in a skill beside it.
    """
    homes = _homes(root)
    wanted = list(islice(sorted(targets), _TARGETS))
    beside = (t for t in wanted if t.startswith("../") and (root.parent / Path(t).parts[1] / MAIN).is_file())
    found = (t for t in wanted if ".." not in t and any(os.path.lexists(home / t) for home in homes))
    return frozenset((*found, *(t for t in beside if os.path.lexists(root / t))))


def read_keys(root: Path, keys: Collection[str]) -> frozenset[str]:
    """Return the keys of a frontmatter that a program around the skill names, as `"key"` or `.key`.

    Where there is more than can be looked at, each of them may be read.
    """
    homes = _homes(root) if keys else []
    if homes and len(keys) > _KEYS:
        return frozenset(keys)
    return _read(homes[-1], frozenset(keys)) if homes else frozenset()


def _homes(root: Path) -> list[Path]:
    around = list(islice(root.parents, _LEVELS))
    top = next((n for n, folder in enumerate(around, 1) if (folder / ".git").exists()), 0)
    return [folder for folder in around[: top or _LEVELS] if top or (folder / ".claude-plugin").is_dir()]


@lru_cache(maxsize=64)
def _read(home: Path, keys: frozenset[str]) -> frozenset[str]:
    """Return the keys that a file below a folder names; skills of one repository have the same slips."""
    named = re.compile(rf"""["'`.]({"|".join(map(re.escape, sorted(keys)))})\b""".encode())
    found, left = set[str](), _BYTES
    for count, (path, size) in enumerate(_programs(home)):
        left -= size
        if count >= _FILES or left < 0:
            return keys
        with suppress(OSError), os.fdopen(nofollow.open_file(str(path), os.O_RDONLY), "rb") as file:
            found.update(key.decode() for key in named.findall(file.read(_LONGEST)))
    return frozenset(found)


def _programs(home: Path) -> Iterator[tuple[Path, int]]:
    """Yield what may be a program, or its settings, with its size in bytes; no tests of one, and no records of ours."""
    for folder, folders, names in os.walk(home):
        if is_own_folder(Path(folder)) or read_note(WORK_DIRS, Path(os.path.realpath(folder))):
            folders.clear()
            continue
        own = (name for name in folders if name not in LEFT_OUT)
        folders[:] = sorted(name for name in own if role_of(f"{name.lstrip('.')}/x") is not Role.APART)
        for path in (Path(folder, n) for n in sorted(names) if is_text_path(n) and not n.lower().endswith(MARKDOWN)):
            with suppress(OSError):
                info = path.lstat()
                if stat.S_ISREG(info.st_mode) and info.st_size <= _LONGEST:
                    yield path, info.st_size
