"""Resolve a file name to a path inside the folder of a skill or project, or refuse it."""

import os
import posixpath
import stat
from pathlib import Path

from orchestrator.errors import Refused

_KIND_PHRASES = {
    stat.S_IFDIR: "is a folder",
    stat.S_IFLNK: "is a link in a loop of links",
    stat.S_IFIFO: "is a pipe",
    stat.S_IFSOCK: "is a socket",
    stat.S_IFCHR: "is a device",
    stat.S_IFBLK: "is a device",
}


def resolve_links(path: Path) -> Path:
    """Return `path` with all links resolved, except links in a loop."""
    return Path(os.path.realpath(path))


def is_in_git(path: Path) -> bool:
    """Return whether a path is in a `.git` folder, ignoring case as some file systems do."""
    return any(part.casefold() == ".git" for part in path.parts)


def build_refusal(file: str, reason: str) -> Refused:
    """Build the error that refuses to change `file`."""
    return Refused(f"{file} {reason}; the file was not changed")


def resolve_inside(root: Path, file: str) -> Path:
    """Return the path of `file` below `root` with all links resolved. `root` must not contain links.

    Raises Refused if `file` is absolute or not normalized, contains `..` or NUL, or leads out of `root` through a link.
    Also raises Refused for a file in `.git`, which could become a hook.
    """
    if "\0" in file or posixpath.normpath(file) != file:
        raise build_refusal(file, "is not a plain relative path")
    if file.startswith("/") or file.split("/")[0] in ("", ".", ".."):
        raise build_refusal(file, f"leaves {root}")
    try:
        path = resolve_links(root / file)
    except (OSError, ValueError) as error:
        raise build_refusal(file, f"cannot be resolved ({error})") from None
    if root not in path.parents:
        raise build_refusal(file, f"leaves {root} through a link")
    if is_in_git(path):
        raise build_refusal(file, "belongs to git")
    return path


def locate(root: Path, file: str) -> Path:
    """Resolve `file` like `resolve_inside`. Also raises Refused if it exists and is not a regular file."""
    path = resolve_inside(root, file)
    try:
        kind = stat.S_IFMT(path.lstat().st_mode)
    except FileNotFoundError:
        return path
    except OSError as error:
        raise build_refusal(file, f"cannot be read ({error.strerror or error})") from None
    if kind != stat.S_IFREG:
        raise build_refusal(file, _KIND_PHRASES.get(kind, "is not a regular file"))
    return path
