"""Test `install` and `uninstall` if the state folder, whose notes `uninstall` needs, cannot be used."""

import os
import shutil

import pytest

from orchestrator.fs.home import find_state_folder
from tests.orchestrator.cli.claude_code.conftest import read_tree

STRANGER = 3999999


@pytest.fixture
def state(tmp_path, monkeypatch):
    """Return tune-skill's folder in a state folder that several users share."""
    folder = tmp_path / "shared/tune-skill"
    folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_STATE_HOME", str(folder.parent))
    return folder


@pytest.mark.parametrize(
    "command", [("install",), ("install", "--hooks"), ("hooks", "install"), ("uninstall",), ("hooks", "uninstall")]
)
def test_nothing_is_changed_beside_the_state_of_another_user(tune, project, state, command):
    if os.geteuid():
        pytest.skip("only root can give a folder to another user")
    assert tune("install", "--hooks").code == 0
    os.chown(state, STRANGER, -1)
    before = read_tree(project)
    result = tune(*command)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert f"{state} belongs to user {STRANGER}; run as that user" in result.err
    assert "XDG_STATE_HOME" in result.err
    assert read_tree(project) == before


def test_nothing_is_installed_without_a_place_for_notes(tune, project, state):
    state.rmdir()
    state.write_text("")
    before = read_tree(project)
    result = tune("install", "--hooks")
    assert (result.code != 0, result.err.count("\n")) == (True, 1)
    assert f"{state}" in result.err
    assert "with XDG_STATE_HOME; nothing was changed" in result.err
    assert read_tree(project) == before


def test_install_works_without_a_home_folder(tune, project, monkeypatch):
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr("orchestrator.fs.home.find_home", _refuse)
    assert tune("install").code == 0
    assert tune("uninstall").code == 0


def _refuse():
    from orchestrator.errors import BadInput

    raise BadInput("this user has no home folder; set HOME")


@pytest.mark.parametrize("command", [("install",), ("install", "--user", "--hooks"), ("hooks", "install", "--user")])
def test_nothing_is_installed_into_the_home_of_another_user(tune, project, tmp_path, monkeypatch, command):
    if os.geteuid():
        pytest.skip("only root can give a folder to another user")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir(exist_ok=True)
    os.chown(tmp_path / "home", STRANGER, -1)
    before = read_tree(tmp_path)
    result = tune(*command)
    assert (result.code, f"home belongs to user {STRANGER}; run as that user" in result.err) == (2, True)
    assert read_tree(tmp_path) == before


@pytest.mark.parametrize("command", [("uninstall",), ("hooks", "uninstall")])
def test_uninstall_leaves_what_another_user_installed(tune, project, command):
    if os.geteuid():
        pytest.skip("only root can give a folder to another user")
    (project / ".git").rmdir()  # git would fail in it
    assert tune("install", "--hooks").code == 0
    before = read_tree(project)
    files = [project / path for path, data in before.items() if data is not None]
    for file in files:
        os.chown(file, STRANGER, -1)
    shutil.rmtree(find_state_folder())
    result = tune(*command)
    assert result.code == 0
    printed = " ".join(result.out.split())
    kept = printed.count(f"belongs to user {STRANGER}; what tune-skill has in it stays")
    assert kept == (1 if "hooks" in command else 3)
    assert read_tree(project) == before


def test_uninstall_removes_what_this_user_wrote_to_files_of_others(tune, project):
    """As root, whose writes keep the owner of a file."""
    if os.geteuid():
        pytest.skip("only root can give a folder to another user")
    files = [project / ".mcp.json", project / ".claude/settings.local.json"]
    files[1].parent.mkdir()
    for file in files:
        file.write_text('{"a": 1}')
        os.chown(file, STRANGER, -1)
    before = read_tree(project)
    assert tune("install", "--hooks").code == 0
    assert tune("uninstall").code == 0
    assert read_tree(project) == before
