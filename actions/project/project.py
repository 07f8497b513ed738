"""Represent a repository as one frozen record. Each file is read and parsed once, when it is needed."""

import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Protocol, TypeVar, cast

import msgspec
from msgspec.structs import replace

from actions.grouping import group_by_key
from actions.memo import cached_property
from actions.project.json_document import JsonDocument, parse_json
from actions.skill.paths import find_missing_folder, list_parents
from actions.skill.skill import SkillFile, is_utf8


class HasPath(Protocol):
    """A unit that is identified by its path."""

    @property
    def path(self) -> str:
        """The path of the unit's file."""


class HasUnit(Protocol):
    """A record that belongs to a unit."""

    @property
    def unit(self) -> HasPath:
        """The unit of the record."""


T = TypeVar("T", bound=HasUnit)

_MAX_KEPT_BYTES = 64_000_000
"""Maximum number of bytes that a project keeps in memory. Files beyond this limit are read again each time."""


_MAX_PATH = 4_096
"""Maximum number of characters of a path. No system has longer paths, and a path of 10,000 folders takes seconds."""


class _Contents(msgspec.Struct):
    """The bytes of files by path, up to a limit."""

    files: dict[str, bytes | None] = msgspec.field(default_factory=dict)
    bytes_left: int = _MAX_KEPT_BYTES

    def keep(self, path: str, raw: bytes | None) -> None:
        size = len(raw or b"")
        if size <= self.bytes_left:
            self.files[path] = raw
            self.bytes_left -= size


class ProjectFile(msgspec.Struct, frozen=True):
    """A regular file of the project: path, size in bytes, whether it is executable, and modification time."""

    path: str
    size: int
    is_executable: bool = False
    modified_ns: int = 0


class Project(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A repository, or a folder that is treated as one.

    `files` are sorted by path, relative to the root, with `/`. `ignored` are paths that exist here but that git
    ignores, so that other clones do not have them. `unread` are paths that exist but are not read: links, submodules,
    files above the limit. `is_listed` is False if git could not list a repository's ignored files. `unlisted` is the
    number of files that are left out because there are too many; it is 1 if they were not counted. `read` returns the
    bytes of a file, or None if it cannot be read. `matches_ignore` returns whether a .gitignore would ignore a path.
    `links` maps links to Markdown files of the project to these files.
    """

    name: str
    files: Mapping[str, ProjectFile]
    read: Callable[[str], bytes | None]
    ignored: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()
    is_listed: bool = True
    unlisted: int = 0
    matches_ignore: Callable[[str], bool] = lambda path: False
    links: Mapping[str, str] = msgspec.field(default_factory=dict)

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder that contains a file, without `/` at the end. The root is ""."""
        folders = {""}
        for path in self.files:
            while (path := posixpath.dirname(path)) and path not in folders:
                folders.add(path)
        return frozenset(folders)

    @cached_property
    def memo(self) -> dict[str, object]:
        """The results of memoized functions, each under a key of the function; see `actions.memo`."""
        return {}

    @cached_property
    def stamp(self) -> str:
        """A hash of paths, sizes, modes and times, which changes with every visible change of a file."""
        from hashlib import sha256  # loads OpenSSL, which only the cache needs

        files = ((f.path, f.size, f.is_executable, f.modified_ns) for f in self.files.values())
        return sha256(
            repr([*files, sorted(self.ignored), sorted(self.unread), sorted(self.links.items())]).encode()
        ).hexdigest()

    def with_files(self, changes: Mapping[str, bytes | None], executable: Collection[str] = ()) -> "Project":
        """Return the project with files replaced (bytes) or deleted (None). Files in `executable` become executable."""
        remaining = {path: file for path, file in self.files.items() if changes.get(path, b"") is not None}
        new = {path: ProjectFile(path, len(raw)) for path, raw in changes.items() if raw is not None}
        for path in new.keys() & remaining.keys():
            new[path] = replace(remaining[path], size=new[path].size)
        new |= {path: replace(new[path], is_executable=True) for path in executable}
        files = dict(sorted((remaining | new).items()))
        return replace(self, files=files, read=lambda path: changes[path] if path in changes else self.read_bytes(path))

    @cached_property
    def _contents(self) -> _Contents:
        return _Contents()

    @cached_property
    def _texts(self) -> dict[str, SkillFile | None]:
        return {}

    @cached_property
    def _documents(self) -> dict[str, JsonDocument]:
        return {}

    def read_bytes(self, path: str) -> bytes | None:
        """Return the bytes of a file, or None if there is no such file or it cannot be read."""
        if path in self._contents.files:
            return self._contents.files[path]
        raw = self.read(path) if path in self.files else None
        self._contents.keep(path, raw)
        return raw

    def is_readable(self, path: str) -> bool:
        """Return whether a file can be read as text."""
        raw = self.read_bytes(path)
        return raw is not None and is_utf8(raw)

    def read_json(self, path: str) -> JsonDocument | None:
        """Return a parsed JSON file, or None if there is no such file."""
        raw = self.read_bytes(path)
        if raw is None:
            return None
        if path not in self._documents:
            self._documents[path] = parse_json(raw)
        return self._documents[path]

    def read_text_file(self, path: str) -> SkillFile | None:
        """Return a file as text, or None if it cannot be read or is not UTF-8. Each file is read and parsed once."""
        if path not in self._texts:
            raw = self.read_bytes(path)
            self._texts[path] = None if raw is None or not is_utf8(raw) else SkillFile(path, raw)
        return self._texts[path]

    def read_object(self, path: str) -> Mapping[str, Any]:
        """Return the object in a JSON file. Returns {} if there is no such file, or if it contains something else."""
        document = self.read_json(path)
        return document.value if document and isinstance(document.value, dict) else {}

    @cached_property
    def _children(self) -> Mapping[str, Sequence[str]]:
        return group_by_key(
            (posixpath.dirname(path), posixpath.basename(path)) for path in (*self.files, *self.folders)
        )

    def list_folder(self, folder: str) -> Sequence[str]:
        """Return the names of the files and folders directly in a folder, sorted."""
        return sorted(name for name in self._children.get(folder, ()) if name)

    def list_below(self, folder: str) -> Iterator[str]:
        """Yield the paths of all files below a folder, sorted by path."""
        pending = self._list_paths(folder)
        while pending:
            path = pending.pop()
            if path in self.files:
                yield path
            else:
                pending += self._list_paths(path)

    def _list_paths(self, folder: str) -> list[str]:
        """Return the paths of the entries of a folder, the last one first."""
        return [f"{folder}/{name}" if folder else name for name in reversed(self.list_folder(folder))]

    def list_for_unit(self, find: Callable[["Project"], Iterable[T]], path: str) -> Sequence[T]:
        """Return the results of a memoized function for the unit at a path. They are grouped by unit only once."""
        key = f"{find.__module__}.{find.__qualname__} by unit"
        if key not in self.memo:
            self.memo[key] = group_by_key((record.unit.path, record) for record in find(self))
        return cast(Mapping[str, Sequence[T]], self.memo[key]).get(path, ())

    def find_missing_folder(self, path: str) -> str:
        """Return the topmost parent of a path that does not belong to the project, or "" if all do."""
        return find_missing_folder(path, self.folders)

    def exists(self, path: str) -> bool:
        """Return whether a file or a folder of this path belongs to the project."""
        if len(path) > _MAX_PATH:
            return False
        is_known = path in self.files or path in self.folders or path in self._unread_folders
        return is_known or _is_at_or_below(path, self.unread)

    @cached_property
    def _unread_folders(self) -> frozenset[str]:
        """The folders of links and other paths that are not read."""
        return frozenset(folder for path in self.unread for folder in list_parents(path))

    def is_ignored(self, path: str) -> bool:
        """Return whether git ignores a path or a folder above it. For a missing path, a .gitignore decides.

        A skill may be in an ignored folder, such as `.claude`. All its files are known, so the rule that ignores the
        whole skill does not apply to a missing file of the skill.
        """
        if len(path) > _MAX_PATH:
            return False
        if self.exists(path):
            return _is_at_or_below(path, self.ignored)
        skill_folder = self._find_ignored_skill(path)
        if skill_folder:
            return self.matches_ignore(path[len(skill_folder) + 1 :])
        return _is_at_or_below(path, self.ignored) or self.matches_ignore(path)

    def _find_ignored_skill(self, path: str) -> str:
        """Return the folder of the skill that contains a path if git ignores this folder, else ""."""
        folder = next((folder for folder in list_parents(path) if f"{folder}/SKILL.md" in self.files), "")
        return folder if _is_at_or_below(folder, self.ignored) else ""


def _is_at_or_below(path: str, places: Set[str]) -> bool:
    """Return whether a path, or a folder that contains it, is in `places`."""
    return bool(places) and (path in places or any(folder in places for folder in list_parents(path)))
