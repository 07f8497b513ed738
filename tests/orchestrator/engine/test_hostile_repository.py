"""Test that the search for changed skills starts nothing of a repository, and ends on one that is built to harm it."""

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from orchestrator.errors import BadInput
from orchestrator.fs.git import ask_git
from tests.orchestrator.engine.repositories import commit_all, list_changed_skills, read_git_output, run_git


@pytest.fixture
def program_that_leaves_a_file(tmp_path):
    """Return a program that creates a file when it is started."""
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/owned\nexit 1\n")
    program.chmod(0o755)
    return str(program)


def _configure_filter(key):
    def prepare(folder, program_that_leaves_a_file):
        (folder / ".git" / "info" / "attributes").write_text("* filter=e\n")
        run_git(folder, "config", f"filter.e.{key}", program_that_leaves_a_file)

    return prepare


def _configure_diff(folder, program_that_leaves_a_file):
    (folder / ".git" / "info" / "attributes").write_text("* diff=e\n")
    for name in ("diff.external", "diff.e.textconv", "diff.e.command", "core.pager", "pager.ls-tree"):
        run_git(folder, "config", name, program_that_leaves_a_file)


def _configure_fsmonitor(folder, program_that_leaves_a_file):
    run_git(folder, "config", "core.fsmonitor", program_that_leaves_a_file)


def _install_hook(folder, program_that_leaves_a_file):
    (folder / ".git" / "hooks" / "post-index-change").symlink_to(program_that_leaves_a_file)


def _configure_promisor(url, *settings):
    """Return a function that removes the commit `start` and configures git to fetch missing objects with a program."""

    def prepare(folder, program_that_leaves_a_file):
        (folder / "skills" / "stilt" / "SKILL.md").write_text("# Other\n")
        commit_all(folder, "second")
        missing_commit = subprocess.check_output(["git", "rev-parse", "start"], cwd=folder, text=True).strip()
        (folder / ".git" / "objects" / missing_commit[:2] / missing_commit[2:]).unlink()
        values = {
            "core.repositoryformatversion": "1",
            "extensions.partialClone": "o",
            "remote.o.promisor": "true",
            "remote.o.url": url.format(program=program_that_leaves_a_file, folder=folder),
            **{name: "always" if name.startswith("protocol") else program_that_leaves_a_file for name in settings},
        }
        for name, value in values.items():
            run_git(folder, "config", name, value)

    return prepare


@pytest.mark.parametrize(
    "prepare",
    [
        pytest.param(prepare, id=id)
        for id, prepare in {
            "filter.clean": _configure_filter("clean"),
            "filter.process": _configure_filter("process"),
            "external diff, textconv, pager": _configure_diff,
            "fsmonitor": _configure_fsmonitor,
            "hook": _install_hook,
            "upload-pack of the promisor": _configure_promisor(
                "{folder}", "remote.o.uploadpack", "protocol.file.allow"
            ),
            "helper of the promisor": _configure_promisor("ext::{program}", "protocol.ext.allow"),
            "ssh of the promisor": _configure_promisor("ssh://a/b", "core.sshCommand", "protocol.ssh.allow"),
        }.items()
    ],
)
def test_git_starts_no_program_of_the_repository(repository, program_that_leaves_a_file, tmp_path, prepare):
    prepare(repository, program_that_leaves_a_file)
    # The new text has the size of the old one, so git has to read the file.
    (repository / "skills" / "avocet" / "SKILL.md").write_text("# Avocet\n")
    with suppress(BadInput):
        list_changed_skills(repository, "start")
    assert not (tmp_path / "owned").exists()


def test_skill_shaped_like_a_bare_repository_is_a_folder(repository, program_that_leaves_a_file, tmp_path):
    skill = repository / "skills" / "avocet"
    run_git(repository, "init", "--bare", str(tmp_path / "bare"))
    shutil.copytree(tmp_path / "bare", skill, dirs_exist_ok=True)
    (skill / "config").write_text(
        f'[core]\nworktree = .\nfsmonitor = {program_that_leaves_a_file}\n[filter "e"]\nclean = {program_that_leaves_a_file}\n'
    )
    (skill / ".gitattributes").write_text("* filter=e\n")
    subprocess.run(["git", "add", "SKILL.md"], cwd=skill, env={**os.environ, "GIT_DIR": "."}, check=True)
    (skill / "SKILL.md").write_text("# Avocet\n")
    (tmp_path / "owned").unlink()
    assert list_changed_skills(repository, "start") == ["avocet"]
    assert not (tmp_path / "owned").exists()


def test_repository_with_foreign_worktree_is_not_queried(repository, tmp_path):
    run_git(repository, "config", "core.worktree", str(tmp_path))
    with pytest.raises(BadInput, match="point to another working tree"):
        list_changed_skills(repository, "HEAD")


def test_git_is_queried_without_a_temporary_folder(repository, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    assert list_changed_skills(repository, "HEAD") == []
    with pytest.raises(BadInput, match="git failed"):
        ask_git(repository, "ls-files", "--no-such-option")


def test_pipe_in_a_repository_times_out(repository, monkeypatch):
    monkeypatch.setattr("orchestrator.fs.git_process.SECONDS", 0.5)
    os.mkfifo(repository / "skills" / ".gitignore")
    with pytest.raises(BadInput, match="did not answer"):
        list_changed_skills(repository, "HEAD")


def test_git_tree_bomb_costs_no_memory(repository, monkeypatch):
    monkeypatch.setattr("orchestrator.fs.git_process.MAX_BYTES", 1_000_000)
    entry = "100644 blob " + read_git_output(repository, "hash-object", "-w", "skills/avocet/SKILL.md")
    for _ in range(9):
        lines = "".join(f"{entry}\t{name}\n" for name in "abcdefghij")
        entry = "040000 tree " + read_git_output(repository, "mktree", stdin_bytes=lines)
    commit_with_other_files = commit_tree(repository, entry)
    assert list_changed_skills(repository, commit_with_other_files) == ["avocet", "plover", "stilt"], (
        "files outside the skills must not be listed"
    )
    for name in ("avocet", "skills"):
        entry = "040000 tree " + read_git_output(repository, "mktree", stdin_bytes=f"{entry}\t{name}\n")
    with pytest.raises(BadInput, match="git printed more than 1,000,000 bytes"):
        list_changed_skills(repository, commit_tree(repository, entry))


def commit_tree(folder, tree):
    return read_git_output(
        folder, "-c", "user.name=a", "-c", "user.email=b", "commit-tree", tree.split()[2], "-m", "bomb"
    )


def test_pipes_and_huge_files_are_not_read(repository):
    skills = repository / "skills"
    (skills / "plover" / "references" / "a.md").unlink()
    os.mkfifo(skills / "plover" / "references" / "a.md")
    with (skills / "stilt" / "references" / "a.md").open("wb") as file:
        file.truncate(10_000_000_000)
    assert list_changed_skills(repository, "HEAD") == ["plover", "stilt"]


def test_links_out_of_the_project_do_not_end_the_comparison(repository, tmp_path):
    for place in ("shared", "other"):
        (tmp_path / place / "tern").mkdir(parents=True)
        (tmp_path / place / "tern" / "SKILL.md").write_text("# tern\n")
    run_git(tmp_path / "other", "init")
    (repository / "skills" / "out").symlink_to("../../shared/tern")
    (repository / "skills" / "over").symlink_to("../../other/tern")
    (repository / "skills" / "same").symlink_to("plover")
    (repository / "skills" / "stilt" / "SKILL.md").write_text("# Stilt, changed\n")
    assert list_changed_skills(repository, "start") == ["out", "over", "stilt"]


def test_only_one_file_starts_git():
    root = Path(__file__).parents[3]
    git_starts = ('["git"', 'program("git")')
    files = (root / "orchestrator").rglob("*.py")
    files_that_start_git = [
        path.name for path in files if any(git_start in path.read_text() for git_start in git_starts)
    ]
    assert files_that_start_git == ["git.py"]


def test_git_in_a_hook_ignores_the_hooks_environment(repository, monkeypatch, tmp_path):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "elsewhere" / "index"))
    assert list_changed_skills(repository, "start") == []
