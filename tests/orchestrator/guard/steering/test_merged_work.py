"""Test the proof by git that the commits of a session were merged or pushed."""

import shutil

import pytest

from actions.session.example import bash, edit, todos, user
from orchestrator.guard.steering.checker import PowerSteeringChecker
from tests.examples import messages
from tests.orchestrator.engine.test_git_changes import commit, git, git_says


@pytest.fixture(scope="module")
def cloned(tmp_path_factory):
    """Return a remote, and a clone of it with a commit on the branch `fix`."""
    base = tmp_path_factory.mktemp("landed")
    seed = base / "seed"
    seed.mkdir()
    (seed / "a.py").write_text("a = 1\n")
    (seed / ".gitignore").write_text(".claude/\n")
    git(seed, "init")
    commit(seed, "start")
    git(base, "clone", "--bare", "seed", "remote.git")
    git(base, "clone", "remote.git", "tree")
    git(base / "tree", "switch", "-c", "fix")
    (base / "tree" / "a.py").write_text("a = 2\n")
    commit(base / "tree", "fix")
    return base


@pytest.fixture
def tree(cloned, tmp_path):
    shutil.copytree(cloned, tmp_path / "copy")
    tree = tmp_path / "copy" / "tree"
    git(tree, "remote", "set-url", "origin", str(tmp_path / "copy" / "remote.git"))
    return tree


def stopped(tree, *more, branch="fix", name="HEAD"):
    """Decide whether a session may stop that committed `name` on `branch` and still has an open item."""
    made = git_says(tree, "rev-parse", "--short", name)
    work = (user("Fix it."), edit("a.py", "a = 2"), bash("pytest", "1 passed in 1s"),
            bash("git commit -am fix", f"[{branch} {made}] fix"))  # fmt: skip
    result = PowerSteeringChecker(tree).check(messages(*work, *(more or [todos(Check_it="pending")])), "s1")
    return result.decision, result.reasons


def merged(tree):
    git(tree, "push", "origin", "fix:main")


def pushed(tree):
    git(tree, "push", "-u", "origin", "fix")


HELD = ("block", ["todos_complete"])


def test_merged_commits_with_a_clean_tree_end_a_session(tree):
    assert stopped(tree) == HELD
    merged(tree)
    assert stopped(tree) == ("approve", ["work_merged", "todos_complete"])


@pytest.mark.parametrize("left", ["a.py", "new.py"])
def test_an_unclean_tree_proves_nothing(tree, left):
    merged(tree)
    (tree / left).write_text("a = 3\n")
    assert stopped(tree) == HELD


def test_a_commit_ahead_of_the_merge_proves_nothing(tree):
    merged(tree)
    (tree / "a.py").write_text("a = 3\n")
    commit(tree, "more")
    assert stopped(tree) == stopped(tree, name="HEAD~1") == HELD


def test_a_push_to_the_default_branch_is_not_a_merge(tree):
    merged(tree)
    git(tree, "switch", "main")
    git(tree, "merge", "fix")
    assert stopped(tree, branch="main") == ("block", ["no_direct_main_commit", "todos_complete"])


def test_an_unknown_commit_proves_nothing(tree):
    merged(tree)
    elsewhere = bash("git -C ../other commit -am x", "[other abcdef1] x")
    assert stopped(tree, elsewhere, todos(Check_it="pending")) == HELD


def test_a_push_resolves_only_a_refused_push(tree):
    refused = bash("git push", " ! [rejected] fix -> fix (fetch first)\nerror: failed to push some refs", error=True)
    assert stopped(tree, refused) == ("block", ["dev_workflow_complete"])
    pushed(tree)
    assert stopped(tree, refused) == ("approve", ["work_pushed", "dev_workflow_complete"])
    assert stopped(tree) == HELD


def test_without_a_remote_or_repository_nothing_is_proven(tree):
    merged(tree)
    git(tree, "remote", "remove", "origin")
    assert stopped(tree) == HELD
    made = git_says(tree, "rev-parse", "HEAD")[:7]
    shutil.rmtree(tree / ".git")
    work = messages(user("Fix it."), edit("a.py", "a = 2"), bash("pytest", "1 passed in 1s"),
                    bash("git commit -am fix", f"[fix {made}] fix"), todos(Check_it="pending"))  # fmt: skip
    assert PowerSteeringChecker(tree).check(work, "s2").decision == "block"


def test_the_check_of_the_tree_starts_no_filter(tree, tmp_path):
    merged(tree)
    (tree / ".git" / "info" / "attributes").write_text("* filter=e\n")
    git(tree, "config", "filter.e.clean", f"touch {tmp_path}/owned; cat")
    (tree / "a.py").touch()
    assert stopped(tree)[1][0] == "work_merged"
    assert not (tmp_path / "owned").exists()
