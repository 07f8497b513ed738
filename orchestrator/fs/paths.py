"""Resolve a proposed file name to a path inside the folder of a skill or a project, or refuse it."""

import os
import posixpath
import stat
from pathlib import Path

from orchestrator.errors import Refused

_KINDS = {
    stat.S_IFDIR: "is a folder",
    stat.S_IFLNK: "is a link in a loop of links",
    stat.S_IFIFO: "is a pipe",
    stat.S_IFSOCK: "is a socket",
    stat.S_IFCHR: "is a device",
    stat.S_IFBLK: "is a device",
}


def real(path: Path) -> Path:
    """Return `path` with all links followed, up to a loop of links."""
    return Path(os.path.realpath(path))


def is_in_git(path: Path) -> bool:
    """Return whether a path is in a `.git` folder, whatever its case: some file systems ignore case."""
    return any(part.casefold() == ".git" for part in path.parts)


def refusal(file: str, reason: str) -> Refused:
    """Return the error that refuses `file`."""
    return Refused(f"{file}: {reason}; the file was not changed")


def inside(root: Path, file: str) -> Path:
    """Return the real path of `file` below `root`, itself a real path.

    Raises Refused if the name is absolute or not normalized, contains `..` or NUL, leaves `root` through a link, or
    belongs to git, which would run a hook there.
    """
    if "\0" in file or posixpath.normpath(file) != file:
        raise refusal(file, "is not a plain relative path")
    if file.startswith("/") or file.split("/")[0] in ("", ".", ".."):
        raise refusal(file, f"leaves {root}")
    try:
        path = real(root / file)
    except (OSError, ValueError) as error:
        raise refusal(file, str(error)) from None
    if root not in path.parents:
        raise refusal(file, f"leaves {root} through a link")
    if is_in_git(path):
        raise refusal(file, "belongs to git")
    return path


def locate(root: Path, file: str) -> Path:
    """Return the real path of `file` as `inside` does. Raises Refused for anything but a regular or missing file."""
    path = inside(root, file)
    try:
        kind = stat.S_IFMT(path.lstat().st_mode)
    except FileNotFoundError:
        return path
    except OSError as error:
        raise refusal(file, (error.strerror or str(error)).lower()) from None
    if kind != stat.S_IFREG:
        raise refusal(file, _KINDS.get(kind, "is not a regular file"))
    return path
