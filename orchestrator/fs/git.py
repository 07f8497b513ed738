"""Query git about repositories that may be hostile, without starting the programs in their settings.

Only git commands that read objects, names and the index are used, because these start no filter, hook, pager or diff
program. Everything else that could start a program (a file monitor, a fetch of missing objects) is disabled. Time is
limited.
"""

import os
from pathlib import Path
from typing import Literal

from actions.regex import regex
from orchestrator.errors import BadInput
from orchestrator.fs.git_silence import NoAnswer, find_silence, record_silence
from orchestrator.fs.home import find_program
from orchestrator.fs.project_root import is_foreign

_COMMIT = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.quotePath=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
)
_OVERRIDES = (word for setting in _SETTINGS for word in ("-c", setting))
_OPTIONS = ("--no-pager", "--no-optional-locks", *_OVERRIDES)
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # overrides any `protocol.*.allow` of a repository
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


def ask_git(
    folder: Path,
    command: Literal[
        "cat-file", "check-ignore", "config", "diff-index", "ls-files", "ls-tree", "merge-base", "rev-parse"
    ],
    *arguments: str,
) -> bytes:
    """Return the output of git, even if its exit code is 1.

    Raises BadInput if git fails in another way or exceeds a limit. After a command that exceeded its limit of time, no
    other is started in this repository for some minutes.
    """
    top = _find_repository(folder)
    if silence := find_silence(top):
        raise NoAnswer(silence)
    git = find_program("git")
    if git is None:
        raise BadInput("git not found on PATH (relative folders are skipped); install git")
    from orchestrator.fs.git_process import run_git  # slow to load and needed only in a repository

    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}  # set in git hooks
    literal = () if command == "check-ignore" else ("--literal-pathspecs",)  # check-ignore rejects this option
    words = [git, *_OPTIONS, *literal, "-C", str(folder), command, *arguments]
    try:
        return run_git(words, folder, inherited | _ENVIRONMENT | _keep_commit_index(folder))
    except NoAnswer as error:
        record_silence(top, error)
        raise


def _keep_commit_index(top: Path) -> dict[str, str]:
    """Return the variable GIT_INDEX_FILE, which git sets for hooks during a commit.

    Returns {} if it is not set or belongs to another working tree.
    """
    index = os.environ.get("GIT_INDEX_FILE", "")
    folder = top / ".git"
    try:
        if index and folder.is_file():
            folder = top / folder.read_text(encoding="utf-8")[:4096].removeprefix("gitdir:").strip()
        is_own = index and Path(index).is_absolute() and Path(index).parent.resolve() == folder.resolve()
    except (OSError, ValueError):
        return {}
    return {"GIT_INDEX_FILE": index} if is_own else {}


def _find_repository(folder: Path) -> Path:
    """Return the nearest folder with a `.git`, from `folder` upwards. Raises BadInput if there is none.

    Folders that other users can write are skipped.
    """
    real_path = folder.resolve()
    candidates = (parent for parent in (real_path, *real_path.parents) if os.path.lexists(parent / ".git"))
    top = next((parent for parent in candidates if not is_foreign(str(parent), str(real_path))), None)
    if top is None:
        raise BadInput(f"{folder}: not in a git repository; give a folder inside one")
    return top


def find_working_tree(folder: Path) -> Path:
    """Return the root of the working tree that contains `folder`: the nearest folder with a `.git`.

    Folders that other users can write are skipped. Raises BadInput outside git, or if the settings of the repository
    point to another working tree.
    """
    top = _find_repository(folder)
    answer = os.fsdecode(ask_git(top, "rev-parse", "--show-toplevel").rstrip(b"\n"))
    if not answer or Path(answer).resolve() != top:
        raise BadInput(f"{top}: its git settings point to another working tree, so git is not used")
    return top


def find_commit(top: Path, rev: str) -> str | None:
    """Return the commit that `rev` names in a working tree, or None. Raises BadInput as `ask_git` does."""
    name = ask_git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}").strip().decode()
    return name if _COMMIT.fullmatch(name) else None


def is_unignored(path: Path, root: Path) -> bool:
    """Return whether git does not ignore a file in the repository around `root`. Returns False if git fails."""
    try:
        return not ask_git(find_working_tree(root), "check-ignore", "--no-index", "--", str(path))
    except BadInput:
        return False


def read_committed(path: Path) -> bytes | None:
    """Return the content of a file in the last commit, or None if it is not in it, outside git, or if git fails."""
    try:
        return ask_git(path.parent, "cat-file", "blob", f"HEAD:./{path.name}")
    except BadInput:
        return None


def may_be_committed(path: Path) -> bool:
    """Return whether a file is in the last commit, with any content. Returns True in a repository if git fails."""
    folder = path.parent
    try:
        _find_repository(folder)
    except BadInput:
        return False
    try:
        return find_commit(folder, "HEAD") is not None and bool(ask_git(folder, "ls-tree", "HEAD", "--", path.name))
    except BadInput:
        return True
