"""Look up files of a project for a model: read-only, bounded, logged, without secrets and links.

A lookup names files, folders and globs, and may name a text to find in them. The answer has the lines with their
numbers, and for each path that is not shown the reason.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import translate
from hashlib import sha256
from itertools import islice, product

import msgspec
from msgspec.structs import replace

from actions.project.project import Project
from actions.regex import regex
from actions.secrets import WITHHELD, is_secret_path, withhold_secrets
from templates.filters import counted, visible

MAX_FILES, MAX_BYTES = 40, 200_000
"""Maximum number of files, and of bytes of text, that one reading shows."""
MAX_FILE_BYTES = 8_000_000
"""A file with more bytes is not shown at all, not even in part."""
_MOST_PATHS, _MOST_GLOBS, _MOST_NAMES, _LINE, _PART = 60, 4, 200, 1_000, 60_000
"""Limits: paths and globs of a lookup; names of files in its answer; characters of a line; bytes of a file at once."""
_MOST_DOUBLED = 3
"""Maximum number of `**/` of a glob that are also tried as matching no folder."""
_HITS, _HITS_PER_FILE, _FILES_PER_SEARCH = 60, 5, 10
_SEARCHES, _SEARCHED, _ALL_SEARCHED = 40, 50_000_000, 300_000_000
"""Limits: searches in one reading; bytes of files that one search reads, and all of one reading."""
_SCREENED = 20_000_000
"""Maximum number of bytes of files that one reading searches for secrets, which takes up to a second for 1 MB."""
_MOST_REFUSED = 100
"""Maximum number of refused paths that the log lists."""
_LIMIT = "the limit of this reading is reached"
_RANGE = regex(r":(\d{1,9})(?:-(\d{1,9})?)?$")


class Lookup(msgspec.Struct, frozen=True):
    """A request of a model: paths (`a/b.py`, `a/b.py:10-80`, `a/`, `a/*.md`), and a text to find in them."""

    paths: tuple[str, ...] = ()
    pattern: str = ""


class SentText(msgspec.Struct, frozen=True):
    """Text of a file that was sent: its path, the sha256 of the whole file at that moment, and the bytes sent."""

    path: str
    sha256: str
    size: int


class RefusedPath(msgspec.Struct, frozen=True):
    """A path that was not shown, and why."""

    path: str
    reason: str


class LookupLog(msgspec.Struct, frozen=True):
    """The texts that were sent in one reading and the paths that were refused, in order, and the work that it took.

    `searches` is a number; `searched` and `screened` are the bytes of files that were searched, and read line by line.
    """

    sent: tuple[SentText, ...] = ()
    refused: tuple[RefusedPath, ...] = ()
    searches: int = 0
    searched: int = 0
    screened: int = 0

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
        """Describe in one sentence what was sent and refused; "" if nothing was looked up."""
        size = sum(one.size for one in self.sent)
        sent = f"{counted(len(self.hashes), 'file')} ({size / 1000:.0f} KB): {', '.join(self.hashes)}"
        refused = dict.fromkeys(f"{one.path} ({one.reason})" for one in self.refused)
        parts = ([sent] if self.sent else []) + ([f"refused: {', '.join([*refused][:20])}"] if refused else [])
        return "; ".join(parts)


NOTHING_SHOWN = LookupLog()


class Library(msgspec.Struct, frozen=True):
    """The files of a project that a model may look up. Paths may also be relative to the unit's `folder`."""

    project: Project
    folder: str = ""

    def look_up(self, asked: Lookup, log: LookupLog) -> tuple[str, LookupLog]:
        """Return the answer to a lookup, and the log with what the answer sends."""
        answer = _Answer(self.project, log)
        targets, left_out = self._find_targets(asked.paths)
        if asked.pattern:
            answer.search(asked.pattern, [target.path for target in targets])
        for target in targets if not asked.pattern else ():
            answer.show(target)
        return answer.finish(left_out), answer.log

    def _find_targets(self, paths: Iterable[str]) -> tuple[list["_Target"], int]:
        """Return the targets of paths, without duplicates, and the number of those above the limit."""
        found: dict[_Target, None] = {}
        named = dict.fromkeys(paths)
        globs = [path for path in named if _is_glob(path)][_MOST_GLOBS:]
        for path in named:
            if path not in globs and len(found) < _MOST_PATHS:
                found |= dict.fromkeys(_expand(self.project, path, self.folder))
        targets = [*found]
        return targets[:_MOST_PATHS], len(targets[_MOST_PATHS:]) + len(globs) + max(0, len(named) - _MOST_PATHS)

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


class _Target(msgspec.Struct, frozen=True):
    path: str
    first: int = 1
    last: int | None = None


def _expand(project: Project, asked: str, folder: str) -> Iterator[_Target]:
    """Yield the targets of a path, relative to the root or else to the unit's folder; only a glob has several."""
    lines = _RANGE.search(asked)
    bare = asked[: lines.start()] if lines else asked
    if bare.startswith(("/", "~")):
        yield _Target(bare)
        return
    ways = [posixpath.normpath(one) for one in (bare or ".", f"{folder}/{bare}".strip("/") or ".")]
    if _is_glob(bare):
        match = re.compile("|".join(translate(one) for way in ways for one in _drop_folders(way))).match
        found = islice((path for path in project.files if match(path)), _MOST_PATHS + 1)
        yield from map(_Target, [*found] or [ways[0]])
        return
    path = next((way for way in ways if project.exists(way) or project.is_ignored(way)), ways[0])
    path = "" if path == "." else path
    if lines and path in project.files:
        first, last = int(lines[1]), lines[2] or ("" if "-" in lines[0] else lines[1])
        yield _Target(path, first, int(last) if last else None)
    else:
        yield _Target(path)


def _drop_folders(glob: str) -> Iterator[str]:
    """Yield a glob with each choice of its first `**/` left out, because they may stand for no folder."""
    first, *rest = glob.split("**/", _MOST_DOUBLED)
    for gaps in product(("**/", ""), repeat=len(rest)):
        yield first + "".join(gap + part for gap, part in zip(gaps, rest, strict=True))


def _is_glob(path: str) -> bool:
    return "*" in path or "?" in path


class _Answer:
    """The parts of an answer, and the log of what they send."""

    def __init__(self, project: Project, log: LookupLog) -> None:
        self._project, self.log, self.parts = project, log, list[str]()
        self._names, self._beyond = _MOST_NAMES, 0

    def finish(self, left_out: int) -> str:
        """Return the answer, with the number of paths that it leaves out."""
        if self._beyond:
            self.add(f"{counted(self._beyond, 'more file')} not shown: {_LIMIT}")
        if left_out:
            limits = f"{_MOST_PATHS} paths and {_MOST_GLOBS} globs"
            self.add(f"{left_out} or more paths not shown; ask for at most {limits} at once")
        left = self.log.bytes_left // 1000
        self.add(f"left in this reading: {MAX_FILES - len(self.log.hashes)} files, {left} KB")
        return "\n".join(self.parts)

    def add(self, line: str) -> None:
        self.parts.append(" ".join(visible(line).split()))

    def show(self, target: _Target) -> None:
        """Add a file with line numbers, the names in a folder, or the reason why neither is shown."""
        path = target.path
        reason = find_refusal(self._project, path)
        if not reason and path in self._project.folders:
            self._list(path)
            return
        may_show = not reason and self.log.may_show(path) and self._may_screen(path)
        lines = (read_text(self._project, path) or "").splitlines() if may_show else []
        shown = list(_number(lines, target.first, target.last, min(_PART, self.log.bytes_left)))
        if reason:
            self._refuse(path, reason)
            return
        if not may_show or (lines and not shown and target.first <= len(lines)):
            self._beyond += 1
            return
        end = target.first + len(shown) - 1
        more = "" if end >= len(lines) else f"; the rest: `{path}:{end + 1}-`"
        self.add(f"=== {path}, lines {target.first} to {end} of {len(lines)}{more}")
        self.parts += shown
        self._record(path, shown)

    def search(self, pattern: str, paths: list[str]) -> None:
        """Add the lines that contain a text, ignoring case, in the given files and folders, or in all."""
        if self.log.searches >= _SEARCHES:
            self.add(f"not searched: {_LIMIT}")
            return
        self.log = replace(self.log, searches=self.log.searches + 1)
        wanted, files, hits, searched = pattern.casefold(), list[str](), 0, 0
        for path in self._list_searched(paths):
            searched += 1
            lines = self._find_lines(path, wanted)
            if not lines:
                continue
            files.append(path)
            if len(files) <= _FILES_PER_SEARCH and hits < _HITS and self.log.may_show(path):
                shown = [_format_line(number, line) for number, line in lines[:_HITS_PER_FILE]]
                if sum(len(line.encode()) + 1 for line in shown) <= self.log.bytes_left:
                    hits += len(shown)
                    self.add(f"=== {path}, {counted(len(lines), 'line')} with it")
                    self.parts += shown
                    self._record(path, shown)
        rest = files[_FILES_PER_SEARCH:]
        found = f"found in {len(files)} of {counted(searched, 'searched file')}"
        self.add(found + (f", also in {', '.join(rest[:60])}" if rest else ""))

    def _list_searched(self, paths: list[str]) -> Iterator[str]:
        """Yield the files to search: the given ones and those in the given folders, or all, up to a limit of bytes."""
        left, inside = min(_SEARCHED, _ALL_SEARCHED - self.log.searched), tuple(f"{one}/" for one in paths)
        for path, file in self._project.files.items():
            if paths and "" not in paths and path not in paths and not path.startswith(inside):
                continue
            left -= file.size
            if left < 0:
                self.add(f"not searched from {path} on: {_SEARCHED // 1_000_000} MB were searched; name folders")
                return
            self.log = replace(self.log, searched=self.log.searched + file.size)
            if self.log.screened + file.size > _SCREENED:  # even if it lacks the text: that alone may tell a secret
                self.add(f"not searched from {path} on: {_LIMIT}")
                return
            if not find_refusal(self._project, path):
                yield path

    def _find_lines(self, path: str, wanted: str) -> list[tuple[int, str]]:
        """Return the lines of a file that contain a text, except withheld ones."""
        text = read_text(self._project, path) or ""
        if wanted not in text.casefold() or not self._may_screen(path):
            return []
        lines = enumerate(withhold_secrets(iter(text.splitlines())), 1)
        return [(number, line) for number, line in lines if wanted in line.casefold() and line != WITHHELD]

    def _may_screen(self, path: str) -> bool:
        """Return whether a file may be read line by line, and count its bytes if so."""
        screened = self.log.screened + self._project.files[path].size
        if screened <= _SCREENED:
            self.log = replace(self.log, screened=screened)
        return screened <= _SCREENED

    def _list(self, folder: str) -> None:
        below = [path for path in self._project.list_below(folder) if not is_secret_path(path)]
        more = f", the first {self._names}" if len(below) > self._names else ""
        self.add(f"=== {folder or '.'}/, {counted(len(below), 'file')}{more}")
        for path in below[: self._names]:
            self.add(path)
        self._names = max(0, self._names - len(below))

    def _refuse(self, path: str, reason: str) -> None:
        named = visible(path[:300]).replace("\n", "\\n")
        self.add(f"=== {named}: not shown: {reason}")
        if len(self.log.refused) < _MOST_REFUSED:
            self.log = replace(self.log, refused=(*self.log.refused, RefusedPath(named, reason)))

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
    for number, line in islice(enumerate(withhold_secrets(iter(lines)), 1), first - 1 if first else 0, last):
        text = _format_line(number, line)
        limit -= len(text.encode()) + 1
        if limit < 0:
            return
        yield text


def _format_line(number: int, line: str) -> str:
    more = f" […{len(line) - _LINE} more]" if len(line) > _LINE else ""
    return f"{number}| {visible(line[:_LINE])}{more}"
