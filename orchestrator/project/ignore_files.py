"""Match paths with the .gitignore files of a project, including paths that do not exist yet."""

import posixpath
from collections.abc import Callable, Collection
from functools import cache
from typing import TYPE_CHECKING

from actions.skill.paths import list_parents

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAME = ".gitignore"


def build_matcher(names: Collection[str], read: Callable[[str], bytes | None]) -> Callable[[str], bool]:
    """Build a function that returns whether a path is ignored. The .gitignore in the deepest folder takes precedence.

    names: the paths of the .gitignore files. read: returns the bytes of such a file. A file with an invalid line is
    left out.
    """
    folders = {posixpath.dirname(name) for name in names if posixpath.basename(name) == NAME}
    read_spec = cache(lambda folder: _read_spec(read(posixpath.join(folder, NAME))))

    def is_ignored(path: str) -> bool:
        for folder in (*list_parents(path), ""):
            if folder in folders and (spec := read_spec(folder)):
                found = spec.check_file(path[len(folder) + 1 :] if folder else path).include
                if found is not None:
                    return found
        return False

    return is_ignored


def _read_spec(raw: bytes | None) -> "GitIgnoreSpec | None":
    from orchestrator.project.gitignore import read_lines  # slow to load, and many projects have no such file

    try:
        return read_lines((raw or b"").decode("utf-8", "replace").splitlines())
    except ValueError:
        return None
