"""Find the file of a project that a path to a missing file probably means."""

import posixpath
from collections.abc import Iterator
from typing import cast

from actions.project.near_name import find_near
from actions.project.project import Project
from actions.skill.paths import MAIN, Role, role_of
from actions.skill.similar_names import is_similar

_IN_ANY_FOLDER = frozenset({MAIN.lower(), "readme.md", "index.md", "__init__.py", "index.js", "index.ts", "main.py"})
"""File names too common to tell which file is meant."""
_GENERAL = frozenset("reference references ref refs doc docs resource resources skills lib src . ..".split())
"""Folder names too common to tell which file is meant."""


def find_near_path(project: Project, missing: str, top: str) -> str | None:
    """Return the only file below `top` with a missing file's name, or with a similar name in the same folder."""
    found = cast(dict[tuple[str, str], str | None], project.memo.setdefault("near paths", {}))
    if (missing, top) not in found:
        candidates = dict.fromkeys(_find_candidates(project, missing, top))
        found[missing, top] = next(iter(candidates)) if len(candidates) == 1 else None
    return found[missing, top]


def is_same_place(missing: str, found: str) -> bool:
    """Return whether a found file may be in the folder of the missing one: it has all its specific folder names."""
    folders = set(posixpath.dirname(missing).lower().split("/")) - _GENERAL - {""}
    known = posixpath.dirname(found).lower().split("/")
    return all(any(is_similar(one, other) for other in known) for one in folders)


def _find_candidates(project: Project, missing: str, top: str) -> Iterator[str]:
    folder, name = posixpath.split(missing)
    stem, extension = posixpath.splitext(name)
    beside_it = [path for path in project.folders if posixpath.dirname(path) == folder and not extension]
    for path in (*project.files, *beside_it):
        if not path.startswith(f"{top}/" if top else "") or role_of(path.replace(".claude/", "")) is Role.APART:
            continue
        beside, other = posixpath.split(path)
        is_named = name.lower() not in _IN_ANY_FOLDER or beside.lower() == folder.lower()
        is_near = beside == folder and other.endswith(extension) and find_near(stem, [posixpath.splitext(other)[0]])
        if is_near or (is_named and other.lower() == name.lower()):
            yield path
