"""Test that `uninstall` keeps the command and the agent that a project's team committed, or brings them back."""

import shutil

import pytest

from orchestrator.fs.home import find_state_folder
from orchestrator.installation.changes import apply_changes, find_backups
from orchestrator.installation.install import plan_command_files
from orchestrator.installation.skill import render_judge, render_skill
from orchestrator.installation.targets import find_project_target
from tests.orchestrator.engine.repositories import run_git

RULE = b"\nRule of the team.\n"


@pytest.fixture
def target(project):
    shutil.rmtree(project / ".git")
    run_git(project, "init")
    run_git(project, "commit", "--allow-empty", "-m", "start")
    return find_project_target()


def commit(target):
    run_git(target.root, "add", ".")
    run_git(target.root, "commit", "-m", "tune-skill")


def commit_files_of_team(target, end=b""):
    for path, text in ((target.skill, render_skill(["tune-skill"], "0.1")), (target.judge, render_judge("0.1"))):
        path.parent.mkdir(parents=True)
        path.write_bytes(text + end)
    commit(target)


def install(target):
    apply_changes(plan_command_files(target, "1.0"))


def read_files(target):
    return [path.read_bytes() if path.exists() else None for path in (target.skill, target.judge)]


def test_uninstall_keeps_a_committed_command_that_install_did_not_write(tune, target):
    commit_files_of_team(target)
    before = read_files(target)
    result = tune("uninstall")
    assert read_files(target) == before
    assert " ".join(result.out.split()).count("stays, because it is committed in git") == 2


@pytest.mark.parametrize("edit", [lambda text: text + RULE, lambda text: text.replace(b"\n", b"\r\n")])
def test_uninstall_keeps_edits_of_a_committed_command_without_install(tune, target, edit):
    commit_files_of_team(target)
    target.skill.write_bytes(edit(target.skill.read_bytes()))
    before = read_files(target)
    assert "stays, because it is committed in git" in " ".join(tune("uninstall").out.split())
    assert (read_files(target), find_backups(target.skill)) == (before, [])


def test_uninstall_keeps_a_command_that_may_be_committed_if_git_fails(tune, target, monkeypatch):
    commit_files_of_team(target)
    before = read_files(target)
    monkeypatch.setenv("PATH", str(target.root))
    assert "stays, because git does not say whether it is committed" in " ".join(tune("uninstall").out.split())
    assert read_files(target) == before


def test_uninstall_removes_an_uncommitted_command_without_a_note(tune, target):
    install(target)
    shutil.rmtree(find_state_folder())
    tune("uninstall")
    assert read_files(target) == [None, None]


@pytest.mark.parametrize("end", [b"", RULE])
@pytest.mark.parametrize("times", [1, 2])
def test_uninstall_brings_back_a_committed_command_that_install_replaced(tune, target, end, times):
    commit_files_of_team(target, end)
    before = read_files(target)
    for _ in range(times):
        install(target)
    assert all(now != old for now, old in zip(read_files(target), before, strict=True))
    assert tune("uninstall").code == 0
    assert read_files(target) == before
    assert [find_backups(path) for path in (target.skill, target.judge)] == [[], []]


def test_uninstall_keeps_a_backup_of_edits_in_a_committed_command(tune, target):
    commit_files_of_team(target)
    before = read_files(target)
    install(target)
    target.skill.write_bytes(edited := target.skill.read_bytes() + RULE)
    assert tune("uninstall").code == 0
    assert read_files(target) == before
    (backup,) = find_backups(target.skill)
    assert backup.read_bytes() == edited


def test_uninstall_removes_a_command_that_was_committed_after_install(tune, target):
    install(target)
    commit(target)
    assert tune("uninstall").code == 0
    assert read_files(target) == [None, None]


def test_uninstall_removes_a_created_command_whose_deletion_was_not_committed(tune, target):
    commit_files_of_team(target)
    shutil.rmtree(target.folder)
    install(target)
    assert tune("uninstall").code == 0
    assert not target.folder.exists()


@pytest.mark.parametrize("is_committed", [True, False])
def test_uninstall_without_notes_removes_what_is_not_committed(tune, target, is_committed):
    """An older version wrote no notes."""
    install(target)
    if is_committed:
        commit(target)
    before = read_files(target)
    shutil.rmtree(find_state_folder())
    assert tune("uninstall").code == 0
    assert read_files(target) == (before if is_committed else [None, None])
