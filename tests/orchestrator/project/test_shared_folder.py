"""Test that files of another user in a shared folder above a project do not affect the project."""

import os
import subprocess
from functools import partial

import pytest

from orchestrator.engine.scan import scan_units
from orchestrator.engine.units import ScanOptions
from orchestrator.errors import BadInput
from orchestrator.fs.git import ask_git, find_working_tree
from orchestrator.fs.project_root import REPOSITORY, find_marked_folder, find_project_root
from orchestrator.project.project_reader import find_project_folder
from tests.fakes import write_skill


def _change_owner(folder):
    if os.geteuid():
        pytest.skip("only root can give a folder to another user")
    os.chown(folder, 12345, -1)


WAYS_TO_SHARE = {
    "sticky": lambda folder: folder.chmod(0o1777),
    "writable by all": lambda folder: folder.chmod(0o777),
    "of another user": _change_owner,
}


@pytest.fixture(params=WAYS_TO_SHARE)
def skill(tmp_path, monkeypatch, request):
    """Return a skill below a shared folder in which another user created a repository with settings."""
    shared_folder = tmp_path / "shared"
    (shared_folder / ".git").mkdir(parents=True)
    (shared_folder / ".claude").mkdir()
    (shared_folder / "tune-skill.toml").write_text('ignore = ["*"]\n')
    skill = write_skill(shared_folder / "mine" / "plover")
    WAYS_TO_SHARE[request.param](shared_folder)
    monkeypatch.chdir(skill.parent)
    return skill


def test_settings_of_a_shared_folder_are_not_read(skill):
    (skill / "SKILL.md").write_text("---\nname: plover\ndescription: Count.\n---\n\nRead [it](gone.md).\n")
    (row,) = scan_units([str(skill)], ScanOptions())
    assert "SPEC-005" in {issue.pattern for issue in row.issues}


def test_project_of_a_skill_ends_below_a_shared_folder(skill):
    assert find_marked_folder(str(skill), REPOSITORY) == ""
    assert find_project_root(str(skill)) == str(skill)


def test_no_project_is_found_in_a_shared_folder(skill):
    assert find_project_folder(skill) == skill


def test_repository_in_a_shared_folder_is_not_queried(skill):
    for ask in (find_working_tree, partial(ask_git, command="ls-files")):
        with pytest.raises(BadInput, match="not in a git repository"):
            ask(skill)


@pytest.mark.parametrize(
    ("folder_mode", "skill_mode"), [(0o755, 0o755), (0o775, 0o755), (0o777, 0o777), (0o775, 0o775)]
)
def test_repository_that_only_the_user_shares_is_found(tmp_path, monkeypatch, folder_mode, skill_mode):
    """The user's own group, and anyone who may write the skill itself, gain nothing from write access above the skill."""
    (tmp_path / "own" / ".git").mkdir(parents=True)
    skill = write_skill(tmp_path / "own" / "plover")
    (tmp_path / "own").chmod(folder_mode)
    skill.chmod(skill_mode)
    assert find_marked_folder(str(skill), REPOSITORY) == str(tmp_path / "own")


def test_repository_of_the_home_folder_is_not_a_project(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    skill = write_skill(tmp_path / ".claude" / "skills" / "plover")
    assert find_project_folder(skill) == skill
    assert find_project_folder(tmp_path) == tmp_path
