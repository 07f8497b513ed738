"""Test the proof by git that the commits of a session were merged or pushed."""

import shutil

import pytest

from actions.session.example import bash, edit, todos, user
from orchestrator.guard.steering.checker import PowerSteeringChecker
from tests.examples import make_messages
from tests.orchestrator.engine.repositories import commit_all, read_git_output, run_git


@pytest.fixture(scope="module")
def remote_and_clone(tmp_path_factory):
    """Return a remote, and a clone of it with a commit on the branch `fix`."""
    base = tmp_path_factory.mktemp("landed")
    seed_repository = base / "seed"
    seed_repository.mkdir()
    (seed_repository / "a.py").write_text("a = 1\n")
    (seed_repository / ".gitignore").write_text(".claude/\n")
    run_git(seed_repository, "init")
    commit_all(seed_repository, "start")
    run_git(base, "clone", "--bare", "seed", "remote.git")
    run_git(base, "clone", "remote.git", "tree")
    run_git(base / "tree", "switch", "-c", "fix")
    (base / "tree" / "a.py").write_text("a = 2\n")
    commit_all(base / "tree", "fix")
    return base


@pytest.fixture
def working_tree(remote_and_clone, tmp_path):
    shutil.copytree(remote_and_clone, tmp_path / "copy")
    working_tree = tmp_path / "copy" / "tree"
    run_git(working_tree, "remote", "set-url", "origin", str(tmp_path / "copy" / "remote.git"))
    return working_tree


def decide_stop(working_tree, *later_messages, branch="fix", name="HEAD"):
    """Decide whether a session may stop that committed `name` on `branch` and still has an open item."""
    commit_id = read_git_output(working_tree, "rev-parse", "--short", name)
    work = (user("Fix it."), edit("a.py", "a = 2"), bash("pytest", "1 passed in 1s"),
            bash("git commit -am fix", f"[{branch} {commit_id}] fix"))  # fmt: skip
    result = PowerSteeringChecker(working_tree).check(
        make_messages(*work, *(later_messages or [todos(Check_it="pending")])), "s1"
    )
    return result.decision, result.reasons


def merge_into_main(working_tree):
    run_git(working_tree, "push", "origin", "fix:main")


def push_branch(working_tree):
    run_git(working_tree, "push", "-u", "origin", "fix")


BLOCKED = ("block", ["todos_complete"])


def test_merged_commits_with_a_clean_tree_end_a_session(working_tree):
    assert decide_stop(working_tree) == BLOCKED
    merge_into_main(working_tree)
    assert decide_stop(working_tree) == ("approve", ["work_merged", "todos_complete"])


@pytest.mark.parametrize("unclean_change", ["a.py", "new.py"])
def test_unclean_tree_proves_nothing(working_tree, unclean_change):
    merge_into_main(working_tree)
    (working_tree / unclean_change).write_text("a = 3\n")
    assert decide_stop(working_tree) == BLOCKED


def test_commit_ahead_of_the_merge_proves_nothing(working_tree):
    merge_into_main(working_tree)
    (working_tree / "a.py").write_text("a = 3\n")
    commit_all(working_tree, "more")
    assert decide_stop(working_tree) == decide_stop(working_tree, name="HEAD~1") == BLOCKED


def test_push_to_the_default_branch_is_not_a_merge(working_tree):
    merge_into_main(working_tree)
    run_git(working_tree, "switch", "main")
    run_git(working_tree, "merge", "fix")
    assert decide_stop(working_tree, branch="main") == ("block", ["no_direct_main_commit", "todos_complete"])


def test_unknown_commit_proves_nothing(working_tree):
    merge_into_main(working_tree)
    commit_in_another_repository = bash("git -C ../other commit -am x", "[other abcdef1] x")
    assert decide_stop(working_tree, commit_in_another_repository, todos(Check_it="pending")) == BLOCKED


def test_push_resolves_only_a_refused_push(working_tree):
    refused_push = bash(
        "git push", " ! [rejected] fix -> fix (fetch first)\nerror: failed to push some refs", error=True
    )
    assert decide_stop(working_tree, refused_push) == ("block", ["dev_workflow_complete"])
    push_branch(working_tree)
    assert decide_stop(working_tree, refused_push) == ("approve", ["work_pushed", "dev_workflow_complete"])
    assert decide_stop(working_tree) == BLOCKED


def test_without_a_remote_or_repository_nothing_is_proven(working_tree):
    merge_into_main(working_tree)
    run_git(working_tree, "remote", "remove", "origin")
    assert decide_stop(working_tree) == BLOCKED
    commit_id = read_git_output(working_tree, "rev-parse", "HEAD")[:7]
    shutil.rmtree(working_tree / ".git")
    work = make_messages(user("Fix it."), edit("a.py", "a = 2"), bash("pytest", "1 passed in 1s"),
                    bash("git commit -am fix", f"[fix {commit_id}] fix"), todos(Check_it="pending"))  # fmt: skip
    assert PowerSteeringChecker(working_tree).check(work, "s2").decision == "block"


def test_check_of_the_tree_starts_no_filter(working_tree, tmp_path):
    merge_into_main(working_tree)
    (working_tree / ".git" / "info" / "attributes").write_text("* filter=e\n")
    run_git(working_tree, "config", "filter.e.clean", f"touch {tmp_path}/owned; cat")
    (working_tree / "a.py").touch()
    assert decide_stop(working_tree)[1][0] == "work_merged"
    assert not (tmp_path / "owned").exists()
