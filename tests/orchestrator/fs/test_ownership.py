"""Test what a command says when a folder of tune-skill in the project belongs to another user."""

import errno
import os
from getpass import getuser

import pytest

from orchestrator.errors import WriteFailed
from orchestrator.exits import Exit, report_error
from orchestrator.fs import durable, nofollow
from orchestrator.fs.durable import ensure_private_dir, write_bytes
from orchestrator.fs.ownership import describe_other_owner


@pytest.fixture
def work_folder(tmp_path, monkeypatch):
    """Return a `.workflow` of the user who runs the tests, seen by another user."""
    folder = tmp_path / ".workflow"
    folder.mkdir(0o700)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    return folder


def _deny(path):
    return PermissionError(errno.EACCES, "Permission denied", str(path))


def test_refused_read_names_the_owner(work_folder, capsys):
    assert report_error(_deny(work_folder / "skill-tuning")) == Exit.USAGE
    expected = f"tune-skill: {work_folder} belongs to {getuser()}, and only they can use it; work in your own clone\n"
    assert capsys.readouterr().err == expected


def test_refused_folder_names_the_owner(work_folder, monkeypatch):
    def open_folder(path, make):
        raise _deny(path)

    monkeypatch.setattr(nofollow, "open_folder", open_folder)
    with pytest.raises(WriteFailed, match=f"{work_folder} belongs to {getuser()}"):
        ensure_private_dir(work_folder / "skill-trials")


def test_refused_write_names_the_owner(work_folder, monkeypatch):
    def write_new(path, *_, **__):
        raise _deny(path)

    monkeypatch.setattr(durable, "write_new", write_new)
    with pytest.raises(WriteFailed) as error_info:
        write_bytes(work_folder / "a.json", b"{}", delays=())
    whose = f"{work_folder} belongs to {getuser()}, and only they can use it; work in your own clone"
    assert str(error_info.value) == f"cannot write {work_folder / 'a.json'}: {whose}; nothing was changed"


def test_own_folder_without_permissions_is_named_as_such(tmp_path, capsys):
    folder = tmp_path / ".workflow"
    folder.mkdir()
    report_error(_deny(folder / "skill-tuning"))
    assert "Permission denied; fix this" in capsys.readouterr().err


def test_other_folders_of_another_user_are_not_named(work_folder):
    assert describe_other_owner(work_folder.parent / "skill") == ""


def test_unknown_owner_is_named_by_number(work_folder):
    if os.getuid():
        pytest.skip("only root can give a folder to another user")
    os.chown(work_folder, 3999999, -1)
    assert f"{work_folder} belongs to user 3999999" in describe_other_owner(work_folder / "skill-tuning")
