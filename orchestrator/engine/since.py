"""What has changed since a commit: names and objects from git, files by their own bytes.

git's own comparison would run what a repository's settings name as filters. So a file that git stores in another form
than it stands in the folder (line endings, LFS) counts as changed.
"""

import hashlib
import os
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from orchestrator.errors import BadInput
from orchestrator.fs.git import ask_git, find_commit, working_tree
from orchestrator.fs.git_files import head_commit
from orchestrator.project.readers import skill_root

_LARGEST = 64_000_000
"""Bytes of a file above which it counts as changed, unread."""

_ASKED = 1_000
"""Places up to which git is asked for them alone; for more, for all of the repository."""


def changed_since(rev: str, skills: Sequence[str], shared: Iterable[Path] = ()) -> list[str]:
    """Return the skills with a file that differs from `rev`, or from where this branch left it; new files count.

    Where one of the files `shared` differs, which say what counts, all have changed; what is no skill stays too.
    Raises BadInput when git is not there, or knows no such commit, or a skill lies in no repository.
    """
    common = frozenset(path.resolve() for path in shared)
    roots = {skill: root for skill in skills if (root := _root(skill))}
    tops = {skill: working_tree(root) for skill, root in roots.items()}
    changed: set[Path] = set()
    for top in dict.fromkeys(tops.values()):
        own = frozenset(roots[skill] for skill in tops if tops[skill] == top)
        found = _changed(top, rev, own, common)
        changed |= own if found & common else found
    return [skill for skill in skills if skill not in roots or roots[skill] in changed]


def is_clean(top: Path, seconds: float) -> bool:
    """Return whether the working tree at `top` is known to be what HEAD holds, with no file that git does not know.

    False, too, where that takes longer than `seconds`. Raises BadInput when git cannot be asked.
    """
    end = time.monotonic() + seconds
    head = _objects(ask_git(top, "ls-tree", "-r", "-z", "--full-tree", "HEAD"))
    digits = max(map(len, head.values()), default=0)
    listed = ask_git(top, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    is_known = {os.fsdecode(name) for name in listed.split(b"\0") if name} == head.keys()
    return is_known and all(time.monotonic() < end and _object(top / name, digits) == head[name] for name in head)


def _root(skill: str) -> Path | None:
    try:
        return skill_root(skill).resolve()
    except BadInput:
        return None


def _changed(top: Path, rev: str, roots: frozenset[Path], common: frozenset[Path]) -> set[Path]:
    """Return those of the folders `roots` and the files `common` that differ from where `rev` and HEAD parted."""
    commit = find_commit(top, rev)
    if commit is None:
        raise BadInput(f"--since {rev}: git knows no such commit in {top}; fetch it, or name another")
    base = ask_git(top, "merge-base", commit, "HEAD").strip().decode() or commit
    places = {str(place.relative_to(top)): place for place in roots | common if place.is_relative_to(top)}
    asked = ("--", *(sorted(places) if len(places) <= _ASKED and "." not in places else ()))
    before = _objects(ask_git(top, "ls-tree", "-r", "-z", "--full-tree", base, *asked))
    listed = ask_git(top, "ls-files", "--cached", "--others", "--exclude-standard", "-z", *asked)
    found: set[Path] = set()
    for name in {*before, *map(os.fsdecode, filter(None, listed.split(b"\0")))}:
        concerned = {places[path] for path in _up(name) if path in places}
        if not concerned <= found and before.get(name) != _object(top / name, len(base)):
            found |= concerned
    return found


def _up(name: str) -> Iterator[str]:
    """Yield a path and each folder above it."""
    while name:
        yield name
        name = name.rpartition("/")[0]
    yield "."


def _objects(tree: bytes) -> dict[str, str]:
    """Return the object of each path in what `ls-tree -z` prints."""
    entries = (entry.partition(b"\t") for entry in tree.split(b"\0") if entry)
    return {os.fsdecode(name): facts.split()[2].decode() for facts, _, name in entries}


def _object(path: Path, digits: int) -> str | None:
    """Return the name that git would give what stands at a path; None for nothing, "" for what has none."""
    try:
        info = path.lstat()
        if stat.S_ISLNK(info.st_mode):
            return _named(os.fsencode(path.readlink()), digits)
        if stat.S_ISDIR(info.st_mode):
            return head_commit(path) if os.path.lexists(path / ".git") else None
        if not stat.S_ISREG(info.st_mode) or info.st_size > _LARGEST:
            return ""
        return _named(path.read_bytes(), digits)
    except OSError:
        return None


def _named(content: bytes, digits: int) -> str:
    make = hashlib.sha256 if digits == 64 else partial(hashlib.sha1, usedforsecurity=False)
    return make(b"blob %d\0" % len(content) + content).hexdigest()
