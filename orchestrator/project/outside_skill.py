"""Search a skill's repository or plugin for files that the skill names, and for programs that read its keys."""

import os
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path

from actions.regex import regex
from actions.skill.paths import MAIN, MARKDOWN, Role, get_role, is_text_path
from orchestrator.fs import nofollow
from orchestrator.fs.notes import WORK_DIRS, read_note
from orchestrator.fs.ownership import is_own_folder
from orchestrator.fs.project_root import REPOSITORY, find_marked_folder
from orchestrator.fs.walk import walk_folders

LEFT_OUT = frozenset({".git", "node_modules", "__pycache__", ".venv", ".DS_Store"})
"""Names of files and folders that are not read, except folders of skills, agents or commands in `.claude`."""
_LOADED_FOLDERS = frozenset({"skills", "agents", "commands"})
_OWN_OUTPUT = regex(
    rb'(?s)[\[\s]*\{\s*"(?:schema_version":\d.{0,4000}?"(?:fingerprint|quality_gate)"|\$schema":.{0,400}"tune-skill")'
)
"""Matches the JSON that tune-skill writes: findings, a baseline, SARIF."""
_MAX_LEVELS = 8
"""Maximum number of folders above a skill that are searched."""
_MAX_TARGETS = 2_000
"""Maximum number of targets that are searched."""
_MAX_KEYS, _MAX_FILES, _MAX_TOTAL, _MAX_FILE = 20, 5_000, 50_000_000, 1_000_000
"""Limits of the search for keys: number of keys, number of files, bytes of all files, bytes of one file."""


def select_folders(parent: str, folders: Iterable[str]) -> list[str]:
    """Return the `folders` in `parent` that must be searched, sorted.

    Folders from which Claude Code loads units are always searched. Vendored folders are not searched otherwise.
    """
    above, name = os.path.split(parent)
    if name in LEFT_OUT and _is_loaded_folder(above):
        return []
    if _is_loaded_folder(parent):
        return sorted(folders)
    return sorted(folder for folder in folders if folder not in LEFT_OUT and folder != ".workflow")


def _is_loaded_folder(folder: str) -> bool:
    """Return whether Claude Code loads units from a folder, such as `.claude/skills`."""
    above, name = os.path.split(folder)
    return name in _LOADED_FOLDERS and os.path.basename(above) == ".claude"  # noqa: PTH119 - called for each folder of a project


def find_targets(root: Path, targets: Iterable[str]) -> frozenset[str]:
    """Return the targets that exist relative to a folder above the skill, up to its repository or plugin.

    A target that begins with `..` is also returned if it exists in a sibling skill.
    """
    searched = list(islice(sorted(targets), _MAX_TARGETS))
    folders = [str(folder) for folder in _list_folders_above(root)] if searched else []

    def exists_above(target: str) -> bool:
        return any(os.path.lexists(f"{folder}/{target}") for folder in folders)

    def exists_in_sibling(target: str) -> bool:
        is_in_skill = (root.parent / Path(target).parts[1] / MAIN).is_file()
        return is_in_skill and os.path.lexists(root / target)

    above = (target for target in searched if ".." not in target and exists_above(target))
    in_siblings = (target for target in searched if target.startswith("../") and exists_in_sibling(target))
    return frozenset((*above, *in_siblings))


def find_read_keys(root: Path, keys: Collection[str]) -> frozenset[str]:
    """Return the frontmatter keys that a program in the skill's repository names, as `"key"` or `.key`.

    If a limit is exceeded, return all keys.
    """
    folders = _list_folders_above(root) if keys else []
    if folders and len(keys) > _MAX_KEYS:
        return frozenset(keys)
    return _find_keys(folders[-1], frozenset(keys)) if folders else frozenset()


def _list_folders_above(root: Path) -> list[Path]:
    """Return the folders above a skill, up to its repository. Outside a repository: those with a plugin manifest."""
    parents = list(islice(root.parents, _MAX_LEVELS))
    repository = Path(find_marked_folder(str(root.parent), REPOSITORY))
    if repository in parents:
        return parents[: parents.index(repository) + 1]
    return [folder for folder in parents if (folder / ".claude-plugin").is_dir()]


@lru_cache(maxsize=64)
def _find_keys(folder: Path, keys: frozenset[str]) -> frozenset[str]:
    """Return the `keys` that occur in programs below `folder`. If there are too many programs, return all keys.

    The result is cached, because the skills of a repository have keys in common.
    """
    pattern = re.compile(rf"""["'`.]({"|".join(map(re.escape, sorted(keys)))})\b""".encode())
    found, remaining = set[str](), _MAX_TOTAL
    for count, text in enumerate(_read_programs(folder)):
        remaining -= len(text)
        if count >= _MAX_FILES or remaining < 0:
            return keys
        found.update(key.decode() for key in pattern.findall(text))
    return frozenset(found)


def _read_programs(top: Path) -> Iterator[bytes]:
    """Yield the bytes of each file that can be a program or its settings. Skips tests and tune-skill's own folders."""
    for folder, folders, names in walk_folders(top):
        if is_own_folder(Path(folder)) or read_note(WORK_DIRS, Path(os.path.realpath(folder))):
            folders.clear()
            continue
        candidates = (name for name in folders if name not in LEFT_OUT)
        folders[:] = sorted(name for name in candidates if get_role(f"{name.lstrip('.')}/x") is not Role.UNRELATED)
        programs = [name for name in sorted(names) if is_text_path(name) and not name.lower().endswith(MARKDOWN)]
        yield from _read_files(folder, programs) if programs else ()


def _read_files(folder: str, names: Iterable[str]) -> Iterator[bytes]:
    """Yield the bytes of files in a folder, which is opened once. Skips files that are too large or cannot be read."""
    try:
        opened = nofollow.open_folder(folder)
    except OSError:
        return
    try:
        for name in names:
            with suppress(OSError):
                text = nofollow.read_in(opened, name, f"{folder}/{name}", _MAX_FILE)
                if not _OWN_OUTPUT.match(text):
                    yield text
    finally:
        os.close(opened)
