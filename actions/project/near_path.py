"""Find the existing file that a path to a missing file was probably meant for."""

import posixpath
from collections.abc import Iterable, Iterator
from typing import cast

from actions.grouping import group_by_key
from actions.memo import memoize
from actions.project.near_name import find_near
from actions.project.project import Project
from actions.skill.paths import MAIN, Role, get_role
from actions.skill.similar_names import is_similar

_COMMON_FILES = frozenset({MAIN.lower(), "readme.md", "index.md", "__init__.py", "index.js", "index.ts", "main.py"})
"""File names that are too common to identify a file."""
_COMMON_FOLDERS = frozenset("reference references ref refs doc docs resource resources skills lib src . ..".split())
"""Folder names that are too common to identify a file."""
_MAX_COMPARED = 50_000
"""Maximum number of names to compare in a project. Only generated text needs more."""


def find_near_path(project: Project, missing: str, top: str) -> str | None:
    """Return the file below `top` with a missing file's name, or with a similar name in the same folder.

    Returns None unless there is exactly one.
    """
    cache = cast(dict[tuple[str, str], str | None], project.memo.setdefault("near paths", {}))
    if (missing, top) not in cache:
        below = f"{top}/" if top else ""
        candidates = {path for path in _index_files(project).find(missing) if path.startswith(below)}
        cache[missing, top] = candidates.pop() if len(candidates) == 1 else None
    return cache[missing, top]


def is_same_place(missing: str, candidate: str) -> bool:
    """Return whether each folder of the missing path, except common names, has a similar one in the candidate path."""
    folders = set(posixpath.dirname(missing).lower().split("/")) - _COMMON_FOLDERS - {""}
    known = posixpath.dirname(candidate).lower().split("/")
    return all(any(is_similar(folder, other) for other in known) for folder in folders)


class _Index:
    """The files of a project by lower-case name and by folder, so that few names need to be compared."""

    def __init__(self, project: Project) -> None:
        files, folders = (_drop_tests(paths) for paths in (project.files, project.folders))
        self._by_name = group_by_key((posixpath.basename(path).lower(), path) for path in files)
        self._by_folder = group_by_key((posixpath.dirname(path), path) for path in files)
        self._folders = group_by_key((posixpath.dirname(path), path) for path in folders if path)
        self._comparisons_left = _MAX_COMPARED

    def find(self, missing: str) -> Iterator[str]:
        """Yield the files with a missing file's name, and the files in its folder with a similar name.

        A path without an extension may also mean a folder.
        """
        folder, name = posixpath.split(missing)
        stem, extension = posixpath.splitext(name)
        is_named = name.lower() not in _COMMON_FILES
        beside = [*self._by_folder.get(folder, ()), *(() if extension else self._folders.get(folder, ()))]
        for path in self._by_name.get(name.lower(), ()):
            if is_named or posixpath.dirname(path).lower() == folder.lower():
                yield path
        self._comparisons_left -= len(beside)
        for path in beside if self._comparisons_left >= 0 else ():
            other, end = posixpath.splitext(posixpath.basename(path))
            if f"{other}{end}".lower() == name.lower() or (end.endswith(extension) and find_near(stem, [other])):
                yield path


@memoize
def _index_files(project: Project) -> _Index:
    return _Index(project)


def _drop_tests(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if get_role(path.replace(".claude/", "")) is not Role.UNRELATED]
