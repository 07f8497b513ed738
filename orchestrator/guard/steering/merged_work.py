"""Prove from git's objects that the commits of a session were merged or pushed.

Nothing is fetched: the remote is as of the last fetch or push. A squashed or rebased merge has other commits, so it
cannot be recognized here; `gh` may know it.
"""

import re
from pathlib import Path

from actions.session.git import Git
from orchestrator.errors import BadInput
from orchestrator.fs.git import ask_git, find_commit, find_working_tree
from orchestrator.fs.git_objects import is_clean

MERGED = "work_merged"
"""HEAD and the last commit of each branch are in the remote's default branch; no commit was made on that branch."""

PUSHED = "work_pushed"
"""HEAD and the last commit of each branch are in the upstream of the current branch."""

RESOLVED_BY_PUSH = frozenset({"dev_workflow_complete"})
"""The considerations that a push resolves: only that git refused a commit or push. Todos and tests stay open."""

_SECONDS = 10.0
_MADE = re.compile(r"^\[\S+(?: \(root-commit\))? ([0-9a-f]{7,40})\]", re.MULTILINE)


def find_merged_work(git: Git, root: Path) -> str:
    """Return MERGED or PUSHED if the tree is clean and git proves it for all commits of the session; else ""."""
    made = {act.branch: found[-1] for act in git.commits if (found := _MADE.findall(act.output))}
    if not made or not all(_MADE.search(act.output) for act in git.commits):
        return ""
    try:
        return _find_merged_work(made, find_working_tree(root))
    except (BadInput, OSError):
        return ""


def _find_merged_work(made: dict[str, str], top: Path) -> str:
    commits = [find_commit(top, name) for name in (*made.values(), "HEAD")]
    main = ask_git(top, "rev-parse", "--abbrev-ref", "origin/HEAD").decode("utf-8", "replace").strip()
    tips = {PUSHED: "@{upstream}"}
    if main.removeprefix("origin/") not in made:
        tips = {MERGED: "refs/remotes/origin/HEAD", **tips}
    for result, name in tips.items():
        tip = find_commit(top, name)
        if tip and all(commit and _contains(top, tip, commit) for commit in commits):
            return result if is_clean(top, _SECONDS) else ""
    return ""


def _contains(top: Path, tip: str, commit: str) -> bool:
    return ask_git(top, "merge-base", tip, commit).strip().decode() == commit
