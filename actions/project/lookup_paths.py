"""Find the files and folders that a path from a model means, and decide which of them the model must not see."""

import posixpath
import re
from collections.abc import Iterator
from fnmatch import translate
from hashlib import sha256
from itertools import product

import msgspec

from actions.project.project import Project
from actions.regex import regex
from actions.secrets import is_secret_path

MAX_FILE_BYTES = 8_000_000
"""Maximum number of bytes of a file. A larger file is not shown, not even in part."""
_MAX_DOUBLE_STARS = 3
"""Maximum number of `**/` in a glob that can match no folder."""
_RANGE = regex(r":(\d{1,9})(?:-(\d{1,9})?)?$")


class Target(msgspec.Struct, frozen=True):
    """A file or folder. `first` and `last` are the lines of a file (None: to the end)."""

    path: str
    first: int = 1
    last: int | None = None


def find_refusal(project: Project, path: str) -> str:
    """Return why a path is not shown to a model, or "" for a file or folder that may be shown."""
    if path.startswith(("/", "../", "~")) or path == ".." or "\0" in path:
        return "outside the project"
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
    """Return the text of a file, or None if it cannot be read or is not text."""
    raw = project.read_bytes(path)
    if raw is None or b"\0" in raw:
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


def hash_file(project: Project, path: str) -> str:
    """Return the sha256 of a file, or "" if it cannot be read."""
    raw = project.read_bytes(path)
    return "" if raw is None else sha256(raw).hexdigest()


def expand_path(project: Project, path: str, folder: str) -> Iterator[Target]:
    """Yield the targets of a path. Only a glob has several.

    The path is relative to the root. If it does not exist there, it is relative to the unit's folder.
    """
    lines = _RANGE.search(path)
    bare = path[: lines.start()] if lines else path
    if bare.startswith(("/", "~")):
        yield Target(bare)
        return
    candidates = [posixpath.normpath(base) for base in (bare or ".", f"{folder}/{bare}".strip("/") or ".")]
    if is_glob(bare):
        match = re.compile(
            "|".join(translate(glob) for candidate in candidates for glob in _drop_folders(candidate))
        ).match
        targets = map(Target, filter(match, project.files))
        first = next(targets, Target(candidates[0]))
        yield first
        yield from targets
        return
    target = next(
        (candidate for candidate in candidates if project.exists(candidate) or project.is_ignored(candidate)),
        candidates[0],
    )
    target = "" if target == "." else target
    if lines and target in project.files:
        start, end = int(lines[1]), lines[2] or ("" if "-" in lines[0] else lines[1])
        yield Target(target, start, int(end) if end else None)
    else:
        yield Target(target)


def _drop_folders(glob: str) -> Iterator[str]:
    """Yield a glob with each combination of its first `**/` left out, because `**/` may match no folder."""
    first, *rest = glob.split("**/", _MAX_DOUBLE_STARS)
    for gaps in product(("**/", ""), repeat=len(rest)):
        yield first + "".join(gap + part for gap, part in zip(gaps, rest, strict=True))


def is_glob(path: str) -> bool:
    """Return whether a path is a glob."""
    return "*" in path or "?" in path


def measure_distance(path: str, folder: str) -> int:
    """Return how far a path is from a folder: the number of levels from the folder up to one that contains the path."""
    parts = folder.split("/") if folder else []
    common = posixpath.commonprefix([path.split("/")[:-1], parts])
    return len(parts) - len(common)
