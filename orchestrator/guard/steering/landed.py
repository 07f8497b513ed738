"""Whether what a session committed has left this working tree: git's own names and objects prove it, or nobody knows.

Nothing is fetched: a remote is known as it was at the last fetch or push. A squashed or rebased merge has others,
so it is unknown here; `gh` may know it.
"""

import re
from pathlib import Path

from actions.session.git import Git
from orchestrator.engine.since import is_clean
from orchestrator.errors import BadInput
from orchestrator.fs.git import ask_git, working_tree

MERGED = "work_merged"
"""The last commit of each branch, and HEAD, are in the remote's default branch, and none was made on that itself."""

PUSHED = "work_pushed"
"""The last commit of each branch, and HEAD, are in what the current branch tracks."""

SETTLED_BY_A_PUSH = frozenset({"dev_workflow_complete"})
"""What a push answers: that git refused a commit or push before. It finishes no list, and mends no test."""

_SECONDS = 10.0
_MADE = re.compile(r"^\[\S+(?: \(root-commit\))? ([0-9a-f]{7,40})\]", re.MULTILINE)
_COMMIT = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def landed(git: Git, root: Path) -> str:
    """Return MERGED or PUSHED, where the tree is clean and git proves it of all that the session committed; else ""."""
    made = {act.branch: found[-1] for act in git.commits if (found := _MADE.findall(act.output))}
    if not made or not all(_MADE.search(act.output) for act in git.commits):
        return ""
    try:
        return _landed(made, working_tree(root))
    except (BadInput, OSError):
        return ""


def _landed(made: dict[str, str], top: Path) -> str:
    commits = [_commit(top, name) for name in (*made.values(), "HEAD")]
    main = ask_git(top, "rev-parse", "--abbrev-ref", "origin/HEAD").decode("utf-8", "replace").strip()
    places = {PUSHED: "@{upstream}"}
    if main.removeprefix("origin/") not in made:
        places = {MERGED: "refs/remotes/origin/HEAD", **places}
    for told, place in places.items():
        tip = _commit(top, place)
        if tip and all(commit and _holds(top, tip, commit) for commit in commits):
            return told if is_clean(top, _SECONDS) else ""
    return ""


def _commit(top: Path, name: str) -> str:
    told = ask_git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").strip()
    return told.decode() if _COMMIT.fullmatch(told) else ""


def _holds(top: Path, tip: str, commit: str) -> bool:
    return ask_git(top, "merge-base", tip, commit).strip().decode() == commit
