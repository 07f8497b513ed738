"""Read git's own files without starting git."""

import os
from pathlib import Path

from actions.regex import regex
from orchestrator.fs import nofollow

_COMMIT = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = regex(r"ref: (refs/[^\x00-\x20~^:?*\\\[]+)")


def find_git_folder(root: Path) -> Path | None:
    """Return the git folder (with HEAD) of the working tree at or above `root`, or None outside git."""
    for folder in (root, *root.parents):
        entry = folder / ".git"
        if entry.is_dir():
            return entry
        link = _read_text(entry)
        if link.startswith("gitdir: "):
            return folder / link.removeprefix("gitdir: ")
    return None


def find_main_tree(root: Path) -> Path:
    """Return the main working tree of the worktree at `root`, or `root` if it is not a worktree.

    git makes the worktree and the main working tree point to each other. Both pointers are checked, because the `.git`
    of a clone could point to any folder.
    """
    link = _read_text(root / ".git")
    folder = root / link.removeprefix("gitdir: ") if link.startswith("gitdir: ") else None
    if folder is None:
        return root
    try:
        is_mutual = (folder / _read_text(folder / "gitdir")).resolve() == (root / ".git").resolve()
        common = (folder / _read_text(folder / "commondir")).resolve()
    except (OSError, ValueError, RuntimeError):
        return root
    return common.parent if is_mutual and common.name == ".git" else root


def read_branch(root: Path) -> str | None:
    """Return the checked-out branch, or None outside git or with a detached HEAD."""
    ref = _read_head_ref(find_git_folder(root))
    return ref.removeprefix("refs/heads/") if ref else None


def read_head_commit(root: Path) -> str | None:
    """Return the checked-out commit, or None outside git or before the first commit."""
    folder = find_git_folder(root)
    ref = _read_head_ref(folder)
    if folder is None:
        return None
    return _resolve_ref(folder, ref) if ref else _parse_commit(_read_text(folder / "HEAD"))


def _read_head_ref(folder: Path | None) -> str | None:
    match = _REF.fullmatch(_read_text(folder / "HEAD")) if folder else None
    return match[1] if match and ".." not in match[1] else None


def _resolve_ref(folder: Path, ref: str) -> str | None:
    common = folder / (_read_text(folder / "commondir") or ".")
    for parent in (folder, common):
        if commit := _parse_commit(_read_text(parent / ref)):
            return commit
    for line in _read_text(common / "packed-refs").splitlines():
        commit, _, name = line.partition(" ")
        if name == ref:
            return _parse_commit(commit)
    return None


def _parse_commit(text: str) -> str | None:
    return text if _COMMIT.fullmatch(text) else None


def _read_text(path: Path) -> str:
    try:
        return nofollow.read(os.path.realpath(path)).decode("utf-8", "replace").strip()
    except OSError:
        return ""
