"""Which skills have changed since a commit: asks git, and reads nothing else."""

import os
import re
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from orchestrator.errors import BadInput
from orchestrator.readers import skill_root

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
"""What a repository's own settings could otherwise have git start."""


def changed_since(rev: str, skills: Sequence[str], shared: Iterable[Path] = ()) -> list[str]:
    """Give the skills with a file that differs from `rev`, or from where this branch left it; new files count.

    Where one of the files `shared` differs, which say what counts, all have changed; what is no skill stays too.
    Raises BadInput when git is not there, or knows no such commit, or a skill lies in no repository.
    """
    common = {path.resolve() for path in shared}
    changed: dict[Path, set[Path]] = {}

    def has_changed(skill: str) -> bool:
        try:
            root = skill_root(skill).resolve()
        except BadInput:
            return True
        top = _top(root)
        if top not in changed:
            changed[top] = _changed(top, rev)
        return not common.isdisjoint(changed[top]) or any(path.is_relative_to(root) for path in changed[top])

    return [skill for skill in skills if has_changed(skill)]


def _top(folder: Path) -> Path:
    return Path(os.fsdecode(_git(folder, "rev-parse", "--show-toplevel").rstrip(b"\n"))).resolve()


def _changed(top: Path, rev: str) -> set[Path]:
    """Give the files of a repository that differ from where `rev` and HEAD parted, and those that git does not know."""
    commit = _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}").strip().decode()
    if not _COMMIT.fullmatch(commit):
        raise BadInput(f"--since {rev}: git knows no such commit in {top}; fetch it, or name another")
    base = _git(top, "merge-base", commit, "HEAD").strip().decode() or commit
    differing = _git(top, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", base, "--")
    new = _git(top, "ls-files", "--others", "--exclude-standard", "-z", "--")
    return {top / os.fsdecode(path) for path in (differing + new).split(b"\0") if path}


def _git(folder: Path, *arguments: str) -> bytes:
    """Give what git prints; nothing when it says no. Raises BadInput when it cannot be asked."""
    command = ["git", *_SAFE, "-C", str(folder), *arguments]
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}  # a hook has its own
    environment = {**ours, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(command, capture_output=True, env=environment, check=False)
    except OSError as error:
        raise BadInput(f"--since asks git, which cannot be started: {error.strerror}; install git") from None
    if done.returncode > 1:
        told = done.stderr.decode("utf-8", "replace").partition("\n")[0] or f"git ended with {done.returncode}"
        raise BadInput(f"--since, in {folder}: {told}")
    return done.stdout
