"""Bytes from disk for the pure parsers: the files of a skill, bounded, never followed out of it."""

import os
import stat
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from actions.skill import Opaque, Skill, parse_skill
from actions.skill.keys import key_for
from actions.skill.paths import MAIN, NOT_TEXT, is_text_path
from actions.skill.references import outward
from orchestrator.errors import BadInput
from orchestrator.fs import nofollow
from orchestrator.fs.home import claude_folder, parse_path
from orchestrator.project.surroundings import LEFT_OUT, read_keys, standing
from templates.filters import did_you_mean

MAX_FILES = 10_000
MAX_SIDE_FILE = 1_000_000
MAX_MAIN = 8_000_000
"""Bytes above which a file is listed but not parsed, and SKILL.md is refused."""
MAX_TEXT = 16_000_000
"""Bytes of text that are read of one skill; what comes later is listed."""
_TOO_MUCH = "beyond the text that is read of one skill"
_MARK = "\ufeff"
_NAMED = 5
"""Skills that are named to who gave the folder around them."""


def skill_root(argument: str) -> Path:
    """Give the folder of the skill that `argument` names: the folder, the one that holds the file, or by its name.

    A bare name that is no folder here is looked for as Claude Code does: in the project around, then in the user's
    folder.
    """
    path = _named(argument) or parse_path(argument)
    try:
        path.stat()
    except (OSError, ValueError) as error:
        told = "there is no such file or folder" if isinstance(error, FileNotFoundError) else str(error)
        known = [*_named_skills(), *_skills_in(argument.rstrip("/").rpartition("/")[0])]
        raise BadInput(f"{argument}: {told}{did_you_mean(argument, known, 'give the folder of a skill')}") from None
    found = (path if is_skill(path) else None) if path.is_dir() else skill_above(path)
    if found is None:
        inside = _skills_in(argument)[:_NAMED]
        hint = f"name one of the skills in it: {', '.join(inside)}" if inside else f"a skill is a folder with a {MAIN}"
        raise BadInput(f"{argument}: no {MAIN} in this folder; {_miscased(path) or hint}")
    return _within(found, argument)


def _miscased(folder: Path) -> str:
    """Say what to do about a file that is called like SKILL.md in other case; "" where none is."""
    with suppress(OSError):
        odd = sorted(one.name for one in folder.iterdir() if one.name.lower() == MAIN.lower())
        return f"{odd[0]} is there: rename it to {MAIN}" if odd else ""
    return ""


def skill_above(path: Path) -> Path | None:
    """Give the nearest folder above a file that is a skill. Raises BadInput for one that a link out of a project is."""
    folders = (path.parent, *Path(os.path.realpath(path.parent)).parents)
    found = next(filter(is_skill, folders), None)
    return _within(found, str(path)) if found else None


def _within(skill: Path, argument: str) -> Path:
    if nofollow.is_link_out(str(skill)):
        raise BadInput(f"{argument}: reached by a link out of its project; give the folder it leads to")
    return skill


def _named(argument: str) -> Path | None:
    if "/" in argument or argument in ("", ".", "..", "~") or os.path.lexists(argument.replace("\0", "")):
        return None
    return next((folder / argument for folder in _skill_folders() if is_skill(folder / argument)), None)


def _skill_folders() -> Iterator[Path]:
    """Return where Claude Code looks for skills: in each folder up to the project's, then in the user's."""
    from orchestrator.project.settings import project_folder

    top, here = project_folder(), Path.cwd()
    for folder in (here, *here.parents):
        yield folder / ".claude" / "skills"
        if folder == top:
            break
    yield claude_folder() / "skills"


def _named_skills() -> list[str]:
    found = (path for folder in _skill_folders() if folder.is_dir() for path in folder.iterdir())
    return [path.name for path in found if is_skill(path)]


def _skills_in(folder: str) -> list[str]:
    """Return the skills that stand in a folder ("" is the current one), as one would name them."""
    try:
        with os.scandir(folder or ".") as entries:
            names = sorted(entry.name for entry in entries if is_skill(Path(entry.path)))
    except (OSError, ValueError):
        return []
    return [f"{folder.rstrip('/')}/{name}" if folder else name for name in names]


def read_skill(root: Path) -> Skill:
    """Read a skill. Raises BadInput when SKILL.md cannot serve or files are too many; other odd files become opaque."""
    contents: dict[str, bytes] = {MAIN: _read_main(root / MAIN)}
    opaque: list[Opaque] = []
    notes: list[str] = []
    room = MAX_TEXT - len(contents[MAIN])
    for path, entry in _entries(root, notes):
        if path == MAIN or entry.is_dir(follow_symlinks=False):
            continue
        found = _read_side(root, path, entry, room)
        if isinstance(found, Opaque):
            opaque.append(found)
        else:
            contents[path] = found
            room -= len(found)
    return _with_outside(_parsed(root.resolve().name, tuple(contents.items()), tuple(opaque), tuple(notes)), root)


@lru_cache(maxsize=1)
def _parsed(folder: str, contents: tuple[tuple[str, bytes], ...], *others: tuple[Any, ...]) -> Skill:
    """Parse a skill; a run reads it before each step, and what has not changed since stays parsed."""
    return parse_skill(folder, dict(contents), *others)


def with_unsaved(skill: Skill, root: Path, texts: Mapping[str, str]) -> Skill:
    """Give a skill with what an editor holds of files that were read; a text too long for one stays as on the disk."""
    files = {path: skill.by_path[path] for path in texts.keys() & skill.by_path.keys()}
    changed = {path: text for path, text in texts.items() if path in files and text != files[path].text.lstrip(_MARK)}
    raw = {path: text.encode("utf-8", "replace") for path, text in changed.items() if "\0" not in text}
    fitting = {path: new for path, new in raw.items() if len(new) <= (MAX_MAIN if path == MAIN else MAX_SIDE_FILE)}
    return _with_outside(skill.replaced(fitting), root) if fitting else skill


def _with_outside(skill: Skill, root: Path) -> Skill:
    around, head = root.resolve(), skill.frontmatter.values
    slips = [key for key, value in head.items() if key_for(key, value)]
    found = standing(around, outward(skill)) | read_keys(around, slips)
    return replace(skill, outside=found) if found != skill.outside else skill


def _read_main(path: Path) -> bytes:
    try:
        info = path.stat()
        if not stat.S_ISREG(info.st_mode):
            raise BadInput(f"{path}: not a regular file; a skill is a folder with a {MAIN}")
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(path.parent)):
            raise BadInput(f"{path}: a link that leads out of the skill; put the file itself there")
        if info.st_size > MAX_MAIN:
            raise BadInput(f"{path}: larger than {MAX_MAIN // 1_000_000} MB; a skill's text is not that long")
        raw = path.read_bytes()
        raw.decode("utf-8")
        if b"\0" in raw:
            raise BadInput(f"{path}: not text: byte {raw.index(0)} is a NUL; remove it")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}; make it readable") from None
    return raw


def _entries(root: Path, notes: list[str]) -> list[tuple[str, os.DirEntry[str]]]:
    found = list(islice(_walk(root, notes), MAX_FILES + 1))
    if len(found) > MAX_FILES:
        raise BadInput(
            f"{root}: more than {MAX_FILES:,} files and folders; move what is no part of the skill elsewhere"
        )
    return found


def _walk(root: Path, notes: list[str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Give relative path and entry of everything, sorted, folders before what they hold; no link is followed."""
    folders = deque([""])
    while folders:
        folder = folders.popleft()
        try:
            entries = sorted(os.scandir(root / folder), key=lambda e: e.name)
        except OSError as error:
            notes.append(f"{folder or '.'}: {error.strerror}, so it was left out")
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name in LEFT_OUT:
                continue
            yield path, entry
            if entry.is_dir(follow_symlinks=False):
                folders.append(path)


def _read_side(root: Path, path: str, entry: os.DirEntry[str], room: int) -> bytes | Opaque:
    """Read a file of at most `room` bytes, or say why it is only listed."""
    if not path.isprintable():
        return Opaque(path.encode("utf-8", "replace").decode(), "its name holds characters that cannot be shown")
    try:
        info = entry.stat()
        reason = _objection(root, path, entry, info)
        if reason is None:
            return Path(entry.path).read_bytes() if info.st_size <= room else Opaque(path, _TOO_MUCH, info.st_size)
    except OSError as error:
        return Opaque(path, error.strerror or "unreadable")
    return Opaque(path, reason, info.st_size)


def _objection(root: Path, path: str, entry: os.DirEntry[str], info: os.stat_result) -> str | None:
    """Say why a file is not parsed; None for one that is."""
    if entry.is_symlink():
        inside = Path(entry.path).resolve().is_relative_to(root.resolve())
        return "a link to what is read where it stands" if inside else "a link that leads out of the skill"
    if not stat.S_ISREG(info.st_mode):
        return "not a regular file"
    if not is_text_path(path):
        return NOT_TEXT
    return "too large to be instructions" if info.st_size > MAX_SIDE_FILE else None


def size_below(folder: str) -> int:
    """Give about how many bytes a folder holds, hidden and vendored ones left out; 0 for what is none."""
    total = 0
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        for name in files:
            with suppress(OSError):
                total += os.lstat(f"{parent}/{name}").st_size
    return total


def skills_below(folder: Path) -> list[Path]:
    """Give the skills below a folder that is none itself, sorted; hidden and vendored folders are searched for none.

    Links to folders are not searched, but one that is a skill itself counts.
    """
    if is_skill(folder):
        return []
    found: list[Path] = []
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in LEFT_OUT and f != ".workflow")
        if MAIN in files:
            found.append(Path(parent))
            folders.clear()
        found.extend(path for path in (Path(parent, f) for f in folders) if path.is_symlink() and is_skill(path))
    return sorted(found)


def is_skill(folder: Path) -> bool:
    """Return whether a folder holds a SKILL.md."""
    try:
        return (folder / MAIN).is_file()
    except (OSError, ValueError):
        return False
