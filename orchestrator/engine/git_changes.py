"""Find the units that have changed since a commit of git."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from orchestrator.errors import BadInput
from orchestrator.fs.git import ask_git, find_commit, working_tree
from orchestrator.fs.git_objects import hash_file, list_files, list_tree

_MOST_PATHS = 1_000
"""Paths up to which git is asked for them alone; for more, for the whole repository."""


def find_changed(rev: str, units: Sequence[str], shared: Iterable[Path] = ()) -> list[str]:
    """Return the units (folders or files, by path) that have changed since `rev`, or since this branch left it.

    If one of the `shared` files, which apply to all units, has changed, all units count as changed. A missing path
    is returned as well. Raises BadInput without git, for an unknown commit and for a path outside of a
    repository.
    """
    common = frozenset(path.resolve() for path in shared)
    roots = {unit: Path(os.path.realpath(unit)) for unit in units if os.path.exists(unit)}  # noqa: PTH110
    tops = {unit: working_tree(root) for unit, root in roots.items()}
    changed: set[Path] = set()
    for top in dict.fromkeys(tops.values()):
        own = frozenset(roots[unit] for unit in tops if tops[unit] == top)
        found = _find_changed_in(top, rev, own, common)
        changed |= own if found & common else found
    return [unit for unit in units if unit not in roots or roots[unit] in changed]


def _find_changed_in(top: Path, rev: str, roots: frozenset[Path], common: frozenset[Path]) -> set[Path]:
    """Return those of the units `roots` and the files `common` that differ from the merge base of `rev` and HEAD."""
    commit = find_commit(top, rev)
    if commit is None:
        raise BadInput(f"--since {rev}: unknown commit in {top}; fetch it, or name another")
    base = ask_git(top, "merge-base", commit, "HEAD").strip().decode() or commit
    places = {str(place.relative_to(top)): place for place in roots | common if place.is_relative_to(top)}
    paths = ("--", *(sorted(places) if len(places) <= _MOST_PATHS and "." not in places else ()))
    before = list_tree(top, base, *paths)
    found: set[Path] = set()
    for name in before.keys() | list_files(top, *paths):
        affected = {places[path] for path in _with_parents(name) if path in places}
        if not affected <= found and before.get(name) != hash_file(top / name, len(base)):
            found |= affected
    return found


def _with_parents(name: str) -> Iterator[str]:
    """Yield a path and each folder above it."""
    while name:
        yield name
        name = name.rpartition("/")[0]
    yield "."
