"""Look files of a project up for a model: read-only, bounded, logged, without secrets and links.

A look-up names files, folders and globs, or a text to find in them. Its answer is text with line numbers. What is
refused is answered with the reason.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from hashlib import sha256

from actions.project.project import Project
from actions.secrets import is_secret_path, withhold_secrets
from templates.filters import counted, visible

MAX_FILES, MAX_BYTES = 40, 200_000
"""Files, and bytes of text, that are shown in one reading."""
MAX_FILE_BYTES = 8_000_000
"""Bytes above which a file is not shown at all, not even lines of it."""
_MOST_PATHS, _MOST_NAMES, _LINE, _PART = 60, 200, 1_000, 60_000
"""Paths of one look-up; names in the answer for a folder; characters of a line; bytes shown of one file at once."""
_HITS, _HITS_PER_FILE, _FILES_PER_SEARCH = 60, 5, 10
_RANGE = re.compile(r":(\d+)(?:-(\d+)?)?$")


@dataclass(frozen=True)
class Lookup:
    """What a model asks to see: paths (`a/b.py`, `a/b.py:10-80`, `a/`, `a/*.md`), and a text to find in them."""

    paths: tuple[str, ...] = ()
    pattern: str = ""


@dataclass(frozen=True)
class SentText:
    """Text of a file that was sent: its path, the sha256 of the whole file at that moment, and the bytes sent."""

    path: str
    sha256: str
    size: int


@dataclass(frozen=True)
class RefusedPath:
    """A path that was not shown, and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class LookupLog:
    """What one reading was shown and refused, in order."""

    sent: tuple[SentText, ...] = ()
    refused: tuple[RefusedPath, ...] = ()

    @property
    def hashes(self) -> Mapping[str, str]:
        """The sha256 of each file that was shown, as it was last shown."""
        return {one.path: one.sha256 for one in self.sent}

    @property
    def bytes_left(self) -> int:
        """The bytes that may still be shown."""
        return max(0, MAX_BYTES - sum(one.size for one in self.sent))

    def may_show(self, path: str) -> bool:
        """Return whether one more file may be shown, or a file that was shown already."""
        return path in self.hashes or len(self.hashes) < MAX_FILES

    def describe(self) -> str:
        """Return what was sent and refused in one sentence; "" if nothing was looked up."""
        size = sum(one.size for one in self.sent)
        sent = f"{counted(len(self.hashes), 'file')} ({size / 1000:.0f} KB): {', '.join(self.hashes)}"
        refused = dict.fromkeys(f"{one.path} ({one.reason})" for one in self.refused)
        parts = ([sent] if self.sent else []) + ([f"refused: {', '.join([*refused][:20])}"] if refused else [])
        return "; ".join(parts)


NOTHING_SHOWN = LookupLog()


@dataclass(frozen=True)
class Library:
    """What a model may look up: the files of a project. Paths may also begin in `folder`, that of the unit."""

    project: Project
    folder: str = ""

    def look_up(self, asked: Lookup, log: LookupLog) -> tuple[str, LookupLog]:
        """Return the answer to a look-up, and the log with what it sends."""
        answer, paths = _Answer(self.project, log), [*dict.fromkeys(asked.paths)]
        places = [place for path in paths[:_MOST_PATHS] for place in _expand(self.project, path, self.folder)]
        if asked.pattern:
            answer.search(asked.pattern, [place.path for place in places])
        for place in places if not asked.pattern else ():
            answer.show(place)
        if len(paths) > _MOST_PATHS:
            answer.add(f"{len(paths) - _MOST_PATHS} more paths: not shown; ask for at most {_MOST_PATHS} at once")
        left = answer.log.bytes_left // 1000
        answer.add(f"left in this reading: {MAX_FILES - len(answer.log.hashes)} files, {left} KB")
        return "\n".join(answer.parts), answer.log

    def find_path(self, named: str) -> str:
        """Return the path from the root that a model means by a name, without its lines."""
        return next(_expand(self.project, named, self.folder)).path


def find_refusal(project: Project, path: str) -> str:
    """Return why a path is not shown to a model; "" for a file or folder that may be shown."""
    if path.startswith(("/", "../", "~")) or path == ".." or "\0" in path:
        return "outside of the project"
    if is_secret_path(path):
        return "it may hold secrets"
    if project.is_ignored(path):
        return "ignored by git"
    if path in project.folders:
        return ""
    if path not in project.files:
        return "a link, or not a file of this project" if project.exists(path) else "no such file"
    if project.files[path].size > MAX_FILE_BYTES:
        return f"larger than {MAX_FILE_BYTES // 1_000_000} MB"
    return "" if read_text(project, path) is not None else "not text"


def read_text(project: Project, path: str) -> str | None:
    """Return the text of a file; None if it cannot be read or is not text."""
    raw = project.read_bytes(path)
    if raw is None or b"\0" in raw:
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


@dataclass(frozen=True)
class _Place:
    path: str
    first: int = 1
    last: int | None = None


def _expand(project: Project, asked: str, folder: str) -> Iterator[_Place]:
    """Yield the places that a path means: from the root, else from the unit's folder; a glob means all its files."""
    lines = _RANGE.search(asked)
    bare = asked[: lines.start()] if lines else asked
    if bare.startswith(("/", "~")):
        yield _Place(bare)
        return
    ways = [posixpath.normpath(one) for one in (bare or ".", f"{folder}/{bare}".strip("/") or ".")]
    if "*" in bare or "?" in bare:
        found = [path for path in project.files if any(fnmatchcase(path, way) for way in ways)]
        yield from map(_Place, found or [ways[0]])
        return
    path = next((way for way in ways if project.exists(way) or project.is_ignored(way)), ways[0])
    path = "" if path == "." else path
    if lines and path in project.files:
        first, last = int(lines[1]), lines[2] or ("" if "-" in lines[0] else lines[1])
        yield _Place(path, first, int(last) if last else None)
    else:
        yield _Place(path)


class _Answer:
    """The parts of an answer, and the log of what they send."""

    def __init__(self, project: Project, log: LookupLog) -> None:
        self._project, self.log, self.parts = project, log, list[str]()

    def add(self, line: str) -> None:
        self.parts.append(" ".join(visible(line).split()))

    def show(self, place: _Place) -> None:
        """Add a file with line numbers, the names in a folder, or why neither is shown."""
        path = place.path
        reason = find_refusal(self._project, path)
        if not reason and path in self._project.folders:
            self._list(path)
            return
        lines = (read_text(self._project, path) or "").splitlines() if not reason else []
        shown = list(_number(lines, place.first, place.last, min(_PART, self.log.bytes_left)))
        if reason or not self.log.may_show(path) or (lines and not shown and place.first <= len(lines)):
            self._refuse(path, reason or "the limit of this reading is reached")
            return
        end = place.first + len(shown) - 1
        more = "" if end >= len(lines) else f"; the rest: `{path}:{end + 1}-`"
        self.add(f"=== {path}, lines {place.first} to {end} of {len(lines)}{more}")
        self.parts += shown
        self._record(path, shown)

    def search(self, pattern: str, paths: list[str]) -> None:
        """Add the lines that contain a text, without regard to case, in the given files and folders, or in all."""
        wanted, files, hits = pattern.casefold(), list[str](), 0
        for path in self._project.files:
            if paths and not any(path == one or path.startswith(f"{one}/") or not one for one in paths):
                continue
            if find_refusal(self._project, path):
                continue
            lines = (read_text(self._project, path) or "").splitlines()
            found = [n for n, line in enumerate(lines, 1) if wanted in line.casefold()]
            if not found:
                continue
            files.append(path)
            if len(files) <= _FILES_PER_SEARCH and hits < _HITS and self.log.may_show(path) and self.log.bytes_left:
                numbered = list(_number(lines, 1, None, len(lines) * _LINE))
                shown = [numbered[n - 1] for n in found[:_HITS_PER_FILE]]
                hits += len(shown)
                self.add(f"=== {path}, {counted(len(found), 'line')} with it")
                self.parts += shown
                self._record(path, shown)
        rest = files[_FILES_PER_SEARCH:]
        self.add(f"found in {counted(len(files), 'file')}" + (f", also in {', '.join(rest[:60])}" if rest else ""))

    def _list(self, folder: str) -> None:
        below = [path for path in self._project.list_below(folder) if not is_secret_path(path)]
        more = f", the first {_MOST_NAMES}" if len(below) > _MOST_NAMES else ""
        self.add(f"=== {folder or '.'}/, {counted(len(below), 'file')}{more}")
        for path in below[:_MOST_NAMES]:
            self.add(path)

    def _refuse(self, path: str, reason: str) -> None:
        self.add(f"=== {path[:300]}: not shown: {reason}")
        self.log = replace(self.log, refused=(*self.log.refused, RefusedPath(path[:300], reason)))

    def _record(self, path: str, shown: list[str]) -> None:
        size = sum(len(line.encode()) + 1 for line in shown)
        digest = hash_file(self._project, path)
        self.log = replace(self.log, sent=(*self.log.sent, SentText(path, digest, size)))


def hash_file(project: Project, path: str) -> str:
    """Return the sha256 of a file; "" if it cannot be read."""
    raw = project.read_bytes(path)
    return "" if raw is None else sha256(raw).hexdigest()


def _number(lines: list[str], first: int, last: int | None, limit: int) -> Iterator[str]:
    """Yield lines with their numbers, secrets withheld, as many as fit into `limit` bytes."""
    for number, line in enumerate(withhold_secrets(iter(lines)), 1):
        if number < first or (last is not None and number > last):
            continue
        more = f" […{len(line) - _LINE} more]" if len(line) > _LINE else ""
        text = f"{number}| {visible(line[:_LINE])}{more}"
        limit -= len(text.encode()) + 1
        if limit < 0:
            return
        yield text
