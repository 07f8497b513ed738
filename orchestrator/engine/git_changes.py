"""Find the units that have changed since a git commit."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from actions.regex import regex
from orchestrator.errors import BadInput
from orchestrator.fs import nofollow
from orchestrator.fs.git import ask_git, find_commit, find_working_tree
from orchestrator.fs.git_objects import hash_file, list_files, list_tree
from orchestrator.fs.walk import walk_folders

_MAX_PATHS = 1_000
"""Maximum number of paths to pass to git. With more, git lists the whole repository."""
_COMMON_NAMES = frozenset(
    {"SKILL.md", "README.md", "CLAUDE.md", "AGENTS.md", "plugin.json", "hooks.json", "__init__.py"}
)
"""Common file names. A text names such a file only together with its folder."""
_EMPTY_TREES = {
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813": (
        "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
    ),
}
"""The id of the empty tree, by the id of the empty file, with SHA-1 and with SHA-256."""
_WORD = regex(r"(?<![\w.@+-])[\w.@+-]*\w")
"""A word that may be a file name."""


def find_changed_units(rev: str, units: Sequence[str], shared: Iterable[Path] = ()) -> list[str]:
    """Return the units (paths of folders or files) that have changed since the merge base of `rev` and HEAD.

    A unit has also changed if its text names a file that was changed, added or removed, or whose mode was changed. A
    manifest has also changed if a file of its plugin was added or removed, or if its mode was changed. All units have
    changed if one of the `shared` files has changed. Units that do not exist, and those that are reached through a link
    out of their project, are also returned, because the scan reports them.
    Raises BadInput without git, for an unknown commit, and for a path outside a repository.
    """
    shared_files = frozenset(path.resolve() for path in shared)
    compared_units = (unit for unit in units if os.path.exists(unit) and not nofollow.escapes_project(unit))  # noqa: PTH110
    roots = {unit: Path(os.path.realpath(unit)) for unit in compared_units}
    tops = {unit: find_working_tree(root) for unit, root in roots.items()}
    changed_paths: set[Path] = set()
    for top in dict.fromkeys(tops.values()):
        in_tree = frozenset(roots[unit] for unit in tops if tops[unit] == top)
        changed_in_tree = _find_changed_in(top, rev, in_tree, shared_files)
        changed_paths |= in_tree if changed_in_tree & shared_files else changed_in_tree
    return [unit for unit in units if unit not in roots or roots[unit] in changed_paths]


def find_staged_units(units: Sequence[str], shared: Iterable[Path] = (), rev: str = "HEAD") -> list[str]:
    """Return the units whose own files, or files that they name, have staged changes.

    Only the index is compared with `rev`, so untracked files and those of `git add -N` do not count. Before the first
    commit, all files in the index count. If one of the `shared` files has changed, all units are returned. Raises
    BadInput if git fails.
    """
    top = find_working_tree(Path.cwd())
    touched_files = _find_touched_files(top, find_commit(top, rev), only_staged=True)
    if not touched_files:
        return []
    changed_paths = {top / folder for name in touched_files for folder in _list_with_parents(name)}
    if any(path.resolve() in changed_paths for path in shared):
        return list(units)
    roots = ((unit, Path(os.path.realpath(unit))) for unit in units)
    return [
        unit
        for unit, root in roots
        if root.is_relative_to(top) and (root in changed_paths or _depends_on(root, top, touched_files))
    ]


def _find_changed_in(top: Path, rev: str, roots: frozenset[Path], shared: frozenset[Path]) -> set[Path]:
    """Return the paths among `roots` and `shared` whose files differ from the merge base of `rev` and HEAD."""
    commit = find_commit(top, rev)
    if commit is None:
        raise BadInput(f"--since {rev}: unknown commit in {top}; fetch it, or give another commit")
    base = ask_git(top, "merge-base", commit, "HEAD").strip().decode() or commit
    targets = {str(target.relative_to(top)): target for target in roots | shared if target.is_relative_to(top)}
    paths = ("--", *(sorted(targets) if len(targets) <= _MAX_PATHS and "." not in targets else ()))
    before = list_tree(top, base, *paths)
    changed_paths: set[Path] = set()
    for name in before.keys() | list_files(top, *paths):
        affected_paths = {targets[path] for path in _list_with_parents(name) if path in targets}
        if not affected_paths <= changed_paths and before.get(name) != hash_file(top / name, len(base)):
            changed_paths |= affected_paths
    touched_files: Mapping[str, bool] = {}
    with suppress(BadInput):  # the list of the whole repository may be too long; the units' files are compared above
        touched_files = _find_touched_files(top, base)
    return changed_paths | {root for root in roots - changed_paths if _depends_on(root, top, touched_files)}


def _find_touched_files(top: Path, base: str | None, *, only_staged: bool = False) -> dict[str, bool]:
    """Return the paths of files that are missing or differ between a commit (None: an empty tree) and the index.

    The value is True if the file was added or removed or its mode was changed, and False if only its content was
    changed. With `only_staged`, a file of `git add -N` is not in the index, because a commit would not contain it.
    Raises BadInput if git fails or lists too much.
    """
    tree = ask_git(top, "ls-tree", "-r", "-z", base) if base else b""
    index = ask_git(top, "ls-files", "--stage", "-z")
    deleted = ask_git(top, "ls-files", "--deleted", "-z")
    before = {name: (fields[0], fields[2]) for fields, name in _parse_entries(tree)}
    now = {name: (fields[0], fields[1]) for fields, name in _parse_entries(index)}
    if only_staged:
        empty_files = {n: id for n, (_, id) in now.items() if id in _EMPTY_TREES and before.get(n, ("", ""))[1] != id}
        for name in _find_intended(top, base, empty_files):
            del now[name]
    touched_files = {
        name: before.get(name, ("",))[0] != now.get(name, ("",))[0]
        for name in before.keys() | now.keys()
        if before.get(name) != now.get(name)
    }
    return touched_files | {os.fsdecode(name): True for name in deleted.split(b"\0") if name}


def _find_intended(top: Path, base: str | None, empty_files: Mapping[str, str]) -> set[str]:
    """Return those of the new empty files in the index, with their ids, that `git add -N` entered there."""
    if not empty_files:
        return set()
    tree = base or _EMPTY_TREES[next(iter(empty_files.values()))]
    options = ("--cached", "--ita-invisible-in-index", "--diff-filter=d", "--name-only", "-z")
    staged = ask_git(top, "diff-index", *options, tree)
    return empty_files.keys() - {os.fsdecode(name) for name in staged.split(b"\0")}


def _parse_entries(output: bytes) -> Iterator[tuple[list[str], str]]:
    """Yield the fields (such as mode and object) and the path of each entry that git lists."""
    for entry in output.split(b"\0"):
        if entry:
            fields, _, name = entry.partition(b"\t")
            yield fields.decode().split(), os.fsdecode(name)


def _depends_on(root: Path, top: Path, touched_files: Mapping[str, bool]) -> bool:
    """Return whether a unit names a touched file or is the manifest of its plugin.

    For a manifest, only added and removed files and changed modes count. `touched_files` is the result of
    `_find_touched_files`.
    """
    if not touched_files:
        return False
    if root.parent.name == ".claude-plugin":
        plugin = f"{root.parent.parent.relative_to(top).as_posix()}/".removeprefix("./")
        if any(is_structural and name.startswith(plugin) for name, is_structural in touched_files.items()):
            return True
    names = {name.rpartition("/")[2] for name in touched_files}
    common = {"/".join(name.split("/")[-2:]) for name in touched_files if name.rpartition("/")[2] in _COMMON_NAMES}
    return any(
        not (names - _COMMON_NAMES).isdisjoint(_WORD.findall(text)) or any(name in text for name in common)
        for text in _read_texts(root)
    )


def _read_texts(root: Path) -> Iterator[str]:
    """Yield the texts of a unit: the file, or the Markdown files of a skill's folder."""
    markdown_files = (
        Path(folder, name) for folder, _, names in walk_folders(root) for name in names if name.endswith(".md")
    )
    files = markdown_files if root.is_dir() else [root]
    for path in islice(files, _MAX_PATHS):
        with suppress(OSError):
            yield nofollow.read(str(path), nofollow.MAX_SMALL_BYTES).decode("utf-8", "replace")


def _list_with_parents(name: str) -> Iterator[str]:
    while name:
        yield name
        name = name.rpartition("/")[0]
    yield "."
