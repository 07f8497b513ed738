"""Test building and parsing breadcrumbs."""

import subprocess

import pytest

from orchestrator.fs import git_files as git
from orchestrator.guard.sessions import breadcrumbs
from orchestrator.guard.sessions.breadcrumbs import get_breadcrumb, get_git_hash, parse_breadcrumb
from orchestrator.guard.sessions.cycles import save_agent_state

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ALL_PARTS = {
    "session_id": "1a2b3c4d",
    "cycle": 7,
    "git_hash": "0123456",
    "prompt_uuid": "9f8e7d6c",
    "timestamp": 1772357400,
}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("s_1a2b3c4d/c_7/g_0123456/p_9f8e7d6c/t_1772357400", ALL_PARTS),
        ("t_1772357400/p_9f8e7d6c/g_0123456/s_1a2b3c4d/c_7", ALL_PARTS),
        ("s_1a2b3c4d/c_7/p_9f8e7d6c/t_1772357400", ALL_PARTS | {"git_hash": None}),
        ("s_1a2b3c4d/c_7/p_none", ALL_PARTS | {"git_hash": None, "timestamp": None, "prompt_uuid": None}),
        (" s_1a2b3c4d/c_7/g_0123456/p_9f8e7d6c/t_1772357400\n", ALL_PARTS),
    ],
)
def test_parse_breadcrumb_reads_any_order_and_missing_parts(text, parts):
    assert parse_breadcrumb(text) == parts


@pytest.mark.parametrize(
    "text",
    ["", "/", "s_1a2b3c4d", "s_1a2b3c4d/c_x/p_none", "s_1a2b3c4d/c_1/c_2/p_none", "s_1a2b3c4d/c_1/p_none/x_1",
     "s_1a2b3c4d5/c_1/p_none", "s_../c_1/p_none", "s_1a2b3c4d/c_1/p_none/g_xyz", "s_ä/c_1/p_none", "s_a/c_٣/p_none",
     None, 5, "s_" * 100_000],
)  # fmt: skip
def test_parse_breadcrumb_returns_none_for_other_text(text):
    assert parse_breadcrumb(text) is None


def test_get_breadcrumb_has_session_cycle_commit_prompt_and_time(project, monkeypatch):
    (project / ".git" / "HEAD").write_text(COMMIT + "\n")
    save_agent_state({"current_cycle_number": 3})
    monkeypatch.setattr(breadcrumbs.time, "time", lambda: 1772357400.9)
    crumb = get_breadcrumb("1a2b3c4d-5555-4000-8000-000000000000", "9f8e7d6c-6666")
    assert crumb == "s_1a2b3c4d/c_3/g_0123456/p_9f8e7d6c/t_1772357400"


def test_get_breadcrumb_can_be_parsed_without_git_and_session(project):
    crumb = get_breadcrumb()
    assert crumb.startswith("s_unknown/c_1/p_none/t_")
    assert parse_breadcrumb(crumb)["session_id"] == "unknown"
    assert parse_breadcrumb(get_breadcrumb("../../etc", "a b/c"))["session_id"] == "------et"


def test_get_breadcrumb_reads_its_parts_once_a_second(project, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(breadcrumbs.time, "monotonic", lambda: clock[0])
    save_agent_state({"current_cycle_number": 3})
    assert parse_breadcrumb(get_breadcrumb("1a2b3c4d"))["cycle"] == 3
    save_agent_state({"current_cycle_number": 4})
    clock[0] = 100.9
    assert parse_breadcrumb(get_breadcrumb("1a2b3c4d"))["cycle"] == 3
    clock[0] = 101.1
    assert parse_breadcrumb(get_breadcrumb("1a2b3c4d"))["cycle"] == 4


def run_git(folder, *args):
    config = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(
        ["git", *config, *args], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_get_git_hash_agrees_with_git(tmp_path):
    repository = tmp_path / "repo"
    repository.mkdir()
    run_git(repository, "init")
    assert (git.read_head_commit(repository), git.read_branch(repository)) == (None, "main")
    run_git(repository, "commit", "--allow-empty", "-m", "one")
    commit = run_git(repository, "rev-parse", "HEAD")
    (repository / "deep").mkdir()
    assert git.read_head_commit(repository / "deep") == commit
    run_git(repository, "worktree", "add", "-b", "side", str(tmp_path / "tree"))
    run_git(repository, "pack-refs", "--all")
    assert git.read_head_commit(repository) == git.read_head_commit(tmp_path / "tree") == commit
    assert (git.read_branch(repository), git.read_branch(tmp_path / "tree")) == ("main", "side")
    run_git(repository, "checkout", "--detach")
    assert (git.read_head_commit(repository), git.read_branch(repository)) == (commit, None)
    assert get_git_hash(repository) == commit[:7]


@pytest.mark.parametrize("head", ["", "ref: refs/heads/../../secret", "ref: /etc/passwd", "nonsense", "\x00" * 50])
def test_get_git_hash_returns_none_for_a_broken_head(tmp_path, head):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(head)
    (tmp_path / "secret").write_text(COMMIT)
    assert git.read_head_commit(tmp_path) is None


def test_get_git_hash_returns_none_outside_of_git(tmp_path):
    assert git.read_head_commit(tmp_path) is None
    assert git.read_branch(tmp_path) is None
