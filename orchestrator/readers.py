"""Bytes from disk for the pure parsers: the files of a skill, bounded, never followed out of it."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from actions.model import Opaque, Skill, parse_skill
from actions.model.skill import MAIN, is_text_path
from orchestrator.errors import BadInput

MAX_FILES = 20_000
MAX_SIDE_FILE = 1_000_000
MAX_MAIN = 8_000_000
"""Bytes above which a file is listed but not parsed, and SKILL.md is refused."""
_LEFT_OUT = frozenset({".git", "node_modules", "__pycache__", ".venv", ".DS_Store"})


def skill_root(argument: str) -> Path:
    """Give the folder of the skill that `argument` names: the folder, or the one that holds the file."""
    path = Path(argument).expanduser()
    if not path.exists():
        raise BadInput(f"{argument}: there is no such file or folder; give the folder of a skill")
    folder = path if path.is_dir() else path.parent
    for candidate in (folder, *folder.resolve().parents) if not path.is_dir() else (folder,):
        if (candidate / MAIN).is_file():
            return candidate
    raise BadInput(f"{argument}: no {MAIN} in this folder; a skill is a folder with a {MAIN}")


def read_skill(root: Path) -> Skill:
    """Read a skill. Raises BadInput when SKILL.md cannot serve; other odd files become opaque."""
    contents: dict[str, bytes] = {MAIN: _read_main(root / MAIN)}
    opaque: list[Opaque] = []
    notes: list[str] = []
    for count, (path, entry) in enumerate(_walk(root, notes)):
        if count >= MAX_FILES:
            notes.append(f"only the first {MAX_FILES:,} files were looked at")
            break
        if path != MAIN:
            _sort(root, path, entry, contents, opaque)
    return parse_skill(root.resolve().name, contents, tuple(opaque), tuple(notes))


def _read_main(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_MAIN:
            raise BadInput(f"{path}: larger than {MAX_MAIN // 1_000_000} MB; a skill's text is not that long")
        raw = path.read_bytes()
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}; make it readable") from None
    return raw


def _walk(root: Path, notes: list[str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Give relative path and entry of everything that is no folder, sorted; links to folders are entries."""
    folders = [""]
    while folders:
        folder = folders.pop(0)
        try:
            entries = sorted(os.scandir(root / folder), key=lambda e: e.name)
        except OSError as error:
            notes.append(f"{folder or '.'}: {error.strerror}, so it was left out")
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name in _LEFT_OUT:
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(path)
            else:
                yield path, entry


def _sort(root: Path, path: str, entry: os.DirEntry[str], contents: dict[str, bytes], opaque: list[Opaque]) -> None:
    try:
        path.encode("utf-8")
        info = entry.stat()
        reason = _objection(root, path, entry, info)
        if reason is None:
            contents[path] = Path(entry.path).read_bytes()
            return
    except UnicodeEncodeError:
        path, reason, size = path.encode("utf-8", "replace").decode(), "its name is not UTF-8", 0
    except OSError as error:
        reason, size = error.strerror or "unreadable", 0
    else:
        size = info.st_size
    opaque.append(Opaque(path, reason, size))


def _objection(root: Path, path: str, entry: os.DirEntry[str], info: os.stat_result) -> str | None:
    """Say why a file is not parsed; None for one that is."""
    if entry.is_symlink():
        if not Path(entry.path).resolve().is_relative_to(root.resolve()):
            return "a link that leads out of the skill"
        if stat.S_ISDIR(info.st_mode):
            return "a link to a folder"
    if not stat.S_ISREG(info.st_mode):
        return "not a regular file"
    if not is_text_path(path):
        return "not a text format that skills use"
    return "too large to be instructions" if info.st_size > MAX_SIDE_FILE else None


def skills_below(folder: Path) -> list[Path]:
    """Give the skills below a folder that is none itself, sorted; hidden and vendored folders are searched for none."""
    if not folder.is_dir() or (folder / MAIN).is_file():
        return []
    found: list[Path] = []
    for parent, folders, files in os.walk(folder):
        if MAIN in files:
            found.append(Path(parent))
            folders.clear()
        folders[:] = sorted(f for f in folders if f not in _LEFT_OUT and f != ".workflow")
    return sorted(found)
