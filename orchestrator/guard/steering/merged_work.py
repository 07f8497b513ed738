"""Prove from git's objects that the commits of a session were merged or pushed.

Nothing is fetched, so the state of remote branches is that of the last fetch or push. A squashed or rebased merge has
different commits, so it is not recognized here. `gh` can recognize it.
"""

import re
from pathlib import Path

from actions.regex import regex
from actions.session.git import GitActions
from orchestrator.errors import BadInput
from orchestrator.fs.git import ask_git, find_commit, find_working_tree
from orchestrator.fs.git_objects import is_clean

MERGED = "work_merged"
"""The remote's default branch, to which the session did not commit, contains HEAD and each branch's last commit."""

PUSHED = "work_pushed"
"""The upstream of the current branch contains HEAD and the last commit of each branch."""

RESOLVED_BY_PUSH = frozenset({"dev_workflow_complete"})
"""The considerations that a push resolves. A push proves nothing about todos or tests."""

_COMPARISON_SECONDS = 10.0
_COMMIT_LINE = regex(r"^\[\S+(?: \(root-commit\))? ([0-9a-f]{7,40})\]", re.MULTILINE)


def find_merged_work(git: GitActions, root: Path) -> str:
    """Return MERGED or PUSHED if git proves it for all commits of the session and the tree is clean, else ""."""
    last_commits = {act.branch: found[-1] for act in git.commits if (found := _COMMIT_LINE.findall(act.output))}
    if not last_commits or not all(_COMMIT_LINE.search(act.output) for act in git.commits):
        return ""
    try:
        return _find_merged_work(last_commits, find_working_tree(root))
    except (BadInput, OSError):
        return ""


def _find_merged_work(last_commits: dict[str, str], top: Path) -> str:
    commits = [find_commit(top, name) for name in (*last_commits.values(), "HEAD")]
    main = ask_git(top, "rev-parse", "--abbrev-ref", "origin/HEAD").decode("utf-8", "replace").strip()
    tips = {PUSHED: "@{upstream}"}
    if main.removeprefix("origin/") not in last_commits:
        tips = {MERGED: "refs/remotes/origin/HEAD", **tips}
    for result, name in tips.items():
        tip = find_commit(top, name)
        if tip and all(commit and _contains(top, tip, commit) for commit in commits):
            return result if is_clean(top, _COMPARISON_SECONDS) else ""
    return ""


def _contains(top: Path, tip: str, commit: str) -> bool:
    return ask_git(top, "merge-base", tip, commit).strip().decode() == commit
