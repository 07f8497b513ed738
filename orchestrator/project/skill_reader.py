"""Read the files of a skill within limits, without following links out of the skill."""

import os
import stat
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from actions.skill import Opaque, Skill, parse_skill
from actions.skill.frontmatter_keys import find_known_key
from actions.skill.paths import MAIN, NOT_TEXT, is_text_path
from actions.skill.references import list_outward_targets
from orchestrator.errors import BadInput
from orchestrator.project.outside_skill import LEFT_OUT, find_read_keys, find_targets

MAX_FILES = 10_000
"""Maximum number of files and folders of a skill."""
MAX_SIDE_FILE = 1_000_000
"""Maximum size in bytes of a file other than SKILL.md. A larger file is listed, but not parsed."""
MAX_MAIN = 8_000_000
"""Maximum size in bytes of SKILL.md. A larger one is refused."""
MAX_TEXT = 16_000_000
"""Maximum size in bytes of all files of a skill that are read. Further files are only listed."""
_OVER_LIMIT = f"over the limit of {MAX_TEXT // 1_000_000} MB of text per skill"
_BYTE_ORDER_MARK = "\ufeff"


def read_skill(root: Path) -> Skill:
    """Read a skill. Unreadable files other than SKILL.md are listed as opaque.

    Raises BadInput if its SKILL.md cannot be read, or if it has too many files.
    """
    contents: dict[str, bytes] = {MAIN: _read_main(root / MAIN)}
    opaque: list[Opaque] = []
    notes: list[str] = []
    remaining = MAX_TEXT - len(contents[MAIN])
    for path, entry in _list_entries(root, notes):
        if path == MAIN or entry.is_dir(follow_symlinks=False):
            continue
        content = _read_file(root, path, entry, remaining)
        if isinstance(content, Opaque):
            opaque.append(content)
        else:
            contents[path] = content
            remaining -= len(content)
    real = root.resolve()
    return _add_outside(_parse(real.name, contents, tuple(opaque), tuple(notes)), real)


_last_parsed: list[tuple[tuple[Any, ...], Skill]] = []


def _parse(*parts: Any) -> Skill:
    """Parse a skill. The last result is cached, because a run reads the skill before each step and it rarely changes.

    `functools.lru_cache` would hash all bytes.
    """
    if not _last_parsed or _last_parsed[0][0] != parts:
        _last_parsed[:] = [(parts, parse_skill(*parts))]
    return _last_parsed[0][1]


def replace_unsaved(skill: Skill, root: Path, texts: Mapping[str, str]) -> Skill:
    """Replace the text of files with an editor's unsaved text, unless it exceeds the size limit."""
    files = {path: skill.by_path[path] for path in texts.keys() & skill.by_path.keys()}
    changed = {
        path: text
        for path, text in texts.items()
        if path in files and text != files[path].text.lstrip(_BYTE_ORDER_MARK)
    }
    raw = {path: text.encode("utf-8", "replace") for path, text in changed.items() if "\0" not in text}
    fitting = {path: new for path, new in raw.items() if len(new) <= (MAX_MAIN if path == MAIN else MAX_SIDE_FILE)}
    return _add_outside(skill.with_files(fitting), root.resolve()) if fitting else skill


def _add_outside(skill: Skill, folder: Path) -> Skill:
    """Return the skill with facts from its project: which named files exist, and which unknown keys programs read."""
    misspelt = [key for key, value in skill.frontmatter.values.items() if find_known_key(key, value)]
    found = find_targets(folder, list_outward_targets(skill)) | find_read_keys(folder, misspelt)
    return replace(skill, outside=found) if found != skill.outside else skill


def _read_main(path: Path) -> bytes:
    """Return the content of a SKILL.md. Raises BadInput if it cannot be read, is too large, or is not UTF-8 text."""
    try:
        info = path.stat()
        if not stat.S_ISREG(info.st_mode):
            raise BadInput(f"{path}: not a regular file; a skill is a folder with a {MAIN}")
        if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(path.parent)):
            raise BadInput(f"{path}: a link that leads out of the skill; replace it with the file")
        if info.st_size > MAX_MAIN:
            raise BadInput(f"{path}: larger than {MAX_MAIN // 1_000_000} MB; shorten it")
        raw = path.read_bytes()
        raw.decode("utf-8")
        if b"\0" in raw:
            raise BadInput(f"{path}: not text: byte {raw.index(0)} is a NUL; remove it")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}; make it readable") from None
    return raw


def _list_entries(root: Path, notes: list[str]) -> list[tuple[str, os.DirEntry[str]]]:
    """Return the files and folders of a skill, as `_walk` does. Raises BadInput if there are too many."""
    entries = list(islice(_walk(root, notes), MAX_FILES + 1))
    if len(entries) > MAX_FILES:
        raise BadInput(
            f"{root}: more than {MAX_FILES:,} files and folders; move files that are not part of the skill elsewhere"
        )
    return entries


def _walk(root: Path, notes: list[str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield the relative path and the directory entry of each file and folder, without following links.

    A folder comes before its content.
    """
    folders = deque([""])
    while folders:
        folder = folders.popleft()
        try:
            entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
        except OSError as error:
            notes.append(f"{folder or '.'}: {error.strerror}, so it was skipped")
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name in LEFT_OUT:
                continue
            yield path, entry
            if entry.is_dir(follow_symlinks=False):
                folders.append(path)


def _read_file(root: Path, path: str, entry: os.DirEntry[str], remaining: int) -> bytes | Opaque:
    """Read a file of at most `remaining` bytes, or return an Opaque with the reason why it is not read."""
    if not path.isprintable():
        return Opaque(path.encode("utf-8", "replace").decode(), "its name has unprintable characters")
    try:
        info = entry.stat()
        reason = _explain_opaque(root, path, entry, info)
        if reason is None and info.st_size > remaining:
            reason = _OVER_LIMIT
        if reason is None:
            return Path(entry.path).read_bytes()
    except OSError as error:
        return Opaque(path, error.strerror or "unreadable")
    return Opaque(path, reason, info.st_size)


def _explain_opaque(root: Path, path: str, entry: os.DirEntry[str], info: os.stat_result) -> str | None:
    """Return why a file is not parsed, or None if it is."""
    if entry.is_symlink():
        inside = Path(entry.path).resolve().is_relative_to(root.resolve())
        return "a link to a file that is read at its own path" if inside else "a link that leads out of the skill"
    if not stat.S_ISREG(info.st_mode):
        return "not a regular file"
    if not is_text_path(path):
        return NOT_TEXT
    return "too large to be instructions" if info.st_size > MAX_SIDE_FILE else None
