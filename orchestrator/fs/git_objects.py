"""Compare files with their objects in git.

Git's own comparison would start the filters that a repository's settings name. Without them, a file that git converts
(line endings, LFS) counts as changed.
"""

import hashlib
import os
import stat
import time
from functools import partial
from pathlib import Path

from orchestrator.fs.git import ask_git
from orchestrator.fs.git_files import read_head_commit

_MAX_BYTES = 64_000_000
"""Maximum size of a file to read. A larger file counts as changed."""


def is_clean(top: Path, seconds: float) -> bool:
    """Return whether the working tree at `top` equals HEAD and has no untracked files.

    Returns False if the comparison takes longer than `seconds`. Raises BadInput if git cannot be used.
    """
    end = time.monotonic() + seconds
    head = list_tree(top, "HEAD")
    digits = max(map(len, head.values()), default=0)
    is_complete = list_files(top) == head.keys()
    return is_complete and all(time.monotonic() < end and hash_file(top / name, digits) == head[name] for name in head)


def list_tree(top: Path, commit: str, *arguments: str) -> dict[str, str]:
    """Return the object id of each path in a commit. Raises BadInput as `ask_git` does."""
    tree = ask_git(top, "ls-tree", "-r", "-z", "--full-tree", commit, *arguments)
    entries = (entry.partition(b"\t") for entry in tree.split(b"\0") if entry)
    return {os.fsdecode(name): fields.split()[2].decode() for fields, _, name in entries}


def list_files(top: Path, *arguments: str) -> set[str]:
    """Return the paths of all files that are tracked or not ignored. Raises BadInput as `ask_git` does."""
    output = ask_git(top, "ls-files", "--cached", "--others", "--exclude-standard", "-z", *arguments)
    return {os.fsdecode(name) for name in output.split(b"\0") if name}


def hash_file(path: Path, digits: int) -> str | None:
    """Return the object id of a file in git, None if it is missing, or "" if it is too large or not regular."""
    try:
        info = path.lstat()
        if stat.S_ISLNK(info.st_mode):
            return _hash_blob(os.fsencode(path.readlink()), digits)
        if stat.S_ISDIR(info.st_mode):
            return read_head_commit(path) if os.path.lexists(path / ".git") else None
        if not stat.S_ISREG(info.st_mode) or info.st_size > _MAX_BYTES:
            return ""
        return _hash_blob(path.read_bytes(), digits)
    except OSError:
        return None


def _hash_blob(content: bytes, digits: int) -> str:
    make = hashlib.sha256 if digits == 64 else partial(hashlib.sha1, usedforsecurity=False)
    return make(b"blob %d\0" % len(content) + content).hexdigest()
