"""Which skills have changed since a commit, as git says it."""

import subprocess

import pytest

from orchestrator.changed import changed_since
from orchestrator.errors import BadInput


@pytest.fixture
def repository(tmp_path):
    """A repository with three skills and a tag `start`."""
    folder = tmp_path / "repository"
    for name in ("avocet", "plover", "stilt"):
        (folder / "skills" / name / "references").mkdir(parents=True)
        (folder / "skills" / name / "SKILL.md").write_text(f"# {name}\n")
        (folder / "skills" / name / "references" / "a.md").write_text("# A\n")
    git(folder, "init")
    commit(folder, "start")
    git(folder, "tag", "start")
    return folder


def git(folder, *arguments):
    identity = (
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b.c",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "init.defaultBranch=main",
    )
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder, message):
    git(folder, "add", "-A")
    git(folder, "commit", "-m", message)


def changed(folder, rev, *shared):
    skills = sorted(str(path) for path in (folder / "skills").iterdir())
    return [path.rpartition("/")[2] for path in changed_since(rev, skills, shared)]


def test_nothing_has_changed_since_what_stands(repository):
    assert changed(repository, "HEAD") == changed(repository, "start") == []


@pytest.mark.parametrize("staged", [False, True])
def test_a_file_that_is_written_new_renamed_or_gone_changes_its_skill(repository, staged):
    skills = repository / "skills"
    (skills / "avocet" / "SKILL.md").write_text("# Other\n")
    (skills / "plover" / "references" / "new \u00e9\n.md").write_text("# New\n")
    (skills / "stilt" / "references" / "a.md").rename(repository / "a.md")
    if staged:
        git(repository, "add", "-A")
    assert changed(repository, "HEAD") == ["avocet", "plover", "stilt"]


def test_what_git_ignores_changes_nothing(repository):
    (repository / ".gitignore").write_text("*.log\n")
    (repository / "skills" / "avocet" / "x.log").write_text("x")
    assert changed(repository, "HEAD") == []


def test_only_the_own_side_of_a_branch_counts(repository):
    git(repository, "checkout", "-b", "topic")
    (repository / "skills" / "avocet" / "SKILL.md").write_text("# Topic\n")
    commit(repository, "topic")
    git(repository, "checkout", "main")
    (repository / "skills" / "plover" / "SKILL.md").write_text("# Main\n")
    commit(repository, "main")
    git(repository, "checkout", "topic")
    assert changed(repository, "main") == ["avocet"]


def test_a_history_without_a_common_commit_is_compared_as_it_is(repository):
    git(repository, "checkout", "--orphan", "other")
    (repository / "skills" / "stilt" / "SKILL.md").write_text("# Other\n")
    commit(repository, "other")
    assert changed(repository, "start") == ["stilt"]


def test_a_file_that_all_skills_depend_on_changes_all(repository):
    settings = repository / "tune-skill.toml"
    settings.write_text('ignore = ["CTX"]\n')
    assert changed(repository, "HEAD") == []
    assert changed(repository, "HEAD", settings) == ["avocet", "plover", "stilt"]


@pytest.mark.parametrize(
    "rev", ["nowhere", "", "--output=owned", "-h", "start..HEAD", "HEAD^{tree}", "$(touch owned)", "a\nb"]
)
def test_what_is_no_commit_is_bad_input_and_never_an_option(repository, rev):
    with pytest.raises(BadInput, match="git knows no such commit"):
        changed(repository, rev)
    assert not list(repository.rglob("owned"))


def test_a_skill_in_no_repository_is_bad_input(tmp_path):
    (tmp_path / "lone").mkdir()
    (tmp_path / "lone" / "SKILL.md").write_text("# Lone\n")
    with pytest.raises(BadInput, match="not a git repository"):
        changed_since("HEAD", [str(tmp_path / "lone")])


def test_without_git_it_says_so(repository, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BadInput, match="install git"):
        changed(repository, "HEAD")


def test_what_is_no_skill_stays_to_be_told_of(repository):
    assert changed_since("HEAD", [str(repository / "nowhere")]) == [str(repository / "nowhere")]


def test_the_repository_cannot_have_git_start_a_program(repository):
    (repository / "watch").write_text("#!/bin/sh\ntouch owned\n")
    (repository / "watch").chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(repository / "watch"))
    git(repository, "config", "diff.external", str(repository / "watch"))
    assert changed(repository, "start") == []
    assert not list(repository.rglob("owned"))


def test_in_a_hook_git_is_asked_about_the_skill_and_not_about_the_hook(repository, monkeypatch, tmp_path):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "elsewhere" / "index"))
    assert changed(repository, "start") == []
