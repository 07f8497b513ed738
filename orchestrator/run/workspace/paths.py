"""Containment: a name that someone proposed becomes a path inside the skill folder, or is refused."""

import os
import posixpath
import stat
from pathlib import Path

from orchestrator.errors import Refused

_KINDS = {
    stat.S_IFDIR: "is a folder",
    stat.S_IFLNK: "is a link that leads in a circle",
    stat.S_IFIFO: "is a pipe",
    stat.S_IFSOCK: "is a socket",
    stat.S_IFCHR: "is a device",
    stat.S_IFBLK: "is a device",
}


def real(path: Path) -> Path:
    """Give `path` with all links followed; of a circle of links, as far as it goes."""
    return Path(os.path.realpath(path))


def is_gits(path: Path) -> bool:
    """Whether a path leads into a `.git`, also where the disk does not tell `.GIT` from it."""
    return any(part.casefold() == ".git" for part in path.parts)


def refused(file: str, reason: str) -> Refused:
    """Build the refusal of `file`."""
    return Refused(f"{file}: {reason}; the file was not touched")


def inside(root: Path, file: str) -> Path:
    """Give the real path of `file` below `root` (itself a real path), links followed.

    Raises Refused when the name is absolute, holds `..` or NUL, is not in its plain form, leads out of `root`, or is
    git's: a hook there would run.
    """
    if "\0" in file or posixpath.normpath(file) != file:
        raise refused(file, "is not a plain relative path")
    if file.startswith("/") or file.split("/")[0] in ("", ".", ".."):
        raise refused(file, "leaves the skill folder")
    try:
        path = real(root / file)
    except (OSError, ValueError) as error:
        raise refused(file, str(error)) from None
    if root not in path.parents:
        raise refused(file, "leads out of the skill folder through a link")
    if is_gits(path):
        raise refused(file, "belongs to git")
    return path


def locate(root: Path, file: str) -> Path:
    """Like `inside`, and what stands there is a regular file or nothing; raises Refused otherwise."""
    path = inside(root, file)
    try:
        kind = stat.S_IFMT(path.lstat().st_mode)
    except FileNotFoundError:
        return path
    except OSError as error:
        raise refused(file, (error.strerror or str(error)).lower()) from None
    if kind != stat.S_IFREG:
        raise refused(file, _KINDS.get(kind, "is not a regular file"))
    return path
