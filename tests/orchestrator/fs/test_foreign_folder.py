"""Test that a folder of caches or notes counts only if no other user could have written what is in it."""

import os
import time

import pytest

from orchestrator.engine import cache as row_cache
from orchestrator.engine.cache import Cache, open_cache
from orchestrator.errors import BadInput
from orchestrator.fs.home import find_state_folder, xdg_folder
from orchestrator.fs.notes import get_note_file, read_note, write_note
from orchestrator.model.answer_cache import AnswerCache, open_answers

STRANGER = 3999999


@pytest.fixture
def shared_root(tmp_path, monkeypatch):
    """Return a folder that several users share, as the root of caches and state."""
    root = tmp_path / "shared"
    root.mkdir()
    root.chmod(0o1777)
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(root))
    return root


def _give_away(path):
    if os.geteuid():
        pytest.skip("only root can give a folder to another user")
    os.chown(path, STRANGER, -1, follow_symlinks=False)


def _make_folder_of_stranger(root):
    (root / "tune-skill").mkdir(0o777)
    _give_away(root / "tune-skill")


def _make_link_of_stranger(root):
    (root / "private").mkdir(0o700)
    (root / "tune-skill").symlink_to(root / "private")
    _give_away(root / "tune-skill")


def _make_dangling_link_of_stranger(root):
    (root / "tune-skill").symlink_to(root / "later")
    _give_away(root / "tune-skill")


@pytest.mark.parametrize("prepare", [_make_folder_of_stranger, _make_link_of_stranger, _make_dangling_link_of_stranger])
def test_folder_of_another_user_is_refused(shared_root, prepare):
    prepare(shared_root)
    with pytest.raises(BadInput, match=r"tune-skill belongs to .*or set XDG_STATE_HOME to a folder of your own"):
        xdg_folder("XDG_STATE_HOME", ".local/state")


@pytest.mark.parametrize("mode", [0o775, 0o777, 0o2775])
def test_own_folder_is_closed_to_others(shared_root, mode):
    folder = shared_root / "tune-skill"
    folder.mkdir()
    folder.chmod(mode)
    assert xdg_folder("XDG_STATE_HOME", ".local/state") == folder
    assert folder.stat().st_mode & 0o7777 == mode & ~0o022


def test_folder_behind_an_own_link_stays_shared(shared_root, tmp_path):
    team = tmp_path / "team"
    team.mkdir()
    team.chmod(0o2775)
    (shared_root / "tune-skill").symlink_to(team)
    xdg_folder("XDG_CACHE_HOME", ".cache")
    assert team.stat().st_mode & 0o7777 == 0o2775


def test_note_file_of_another_user_does_not_count(shared_root, tmp_path):
    write_note("asks-model", tmp_path, {"allowed": True})
    _give_away(get_note_file("asks-model", tmp_path))
    assert read_note("asks-model", tmp_path) is None


def test_note_of_another_user_does_not_count(shared_root, tmp_path):
    write_note("asks-model", tmp_path, {"allowed": True})
    assert read_note("asks-model", tmp_path) == {"allowed": True}
    _give_away(shared_root / "tune-skill")
    assert read_note("asks-model", tmp_path) is None


def test_caches_in_a_folder_of_another_user_are_not_used(shared_root):
    _make_folder_of_stranger(shared_root)
    assert open_cache() is None
    assert not isinstance(open_answers({}), AnswerCache)


@pytest.mark.parametrize("given_away", [".", ".cache"])
def test_no_cache_is_created_in_the_home_of_another_user(tmp_path, monkeypatch, given_away):
    (tmp_path / "home/.cache").mkdir(parents=True)
    if given_away == ".":
        (tmp_path / "home/.cache").rmdir()
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert open_cache() is not None
    _give_away(tmp_path / "home" / given_away)
    before = sorted(tmp_path.rglob("*"))
    assert open_cache() is None
    assert not isinstance(open_answers({}), AnswerCache)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("given_away", [".", ".local", ".local/state"])
def test_no_state_is_created_in_the_home_of_another_user(tmp_path, monkeypatch, given_away):
    (tmp_path / "home" / given_away).mkdir(parents=True)
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    write_note("runs", tmp_path, 1, tmp_path / "elsewhere")
    _give_away(tmp_path / "home" / given_away)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(BadInput, match=r"belongs to .*; run as that user, or set HOME or XDG_STATE_HOME"):
        write_note("runs", tmp_path, 1)
    assert read_note("runs", tmp_path) is None
    assert sorted(tmp_path.rglob("*")) == before


def test_home_in_a_folder_of_root_is_used(tmp_path, monkeypatch):
    """In a container the home folder may be `/tmp`."""
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    owner = tmp_path.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
    if owner == 0:
        assert find_state_folder() == tmp_path / ".local/state/tune-skill"


def test_own_folder_and_own_link_are_used(shared_root, tmp_path):
    assert xdg_folder("XDG_CACHE_HOME", ".cache") == shared_root / "tune-skill"
    (tmp_path / "disk").mkdir(0o755)
    (shared_root / "tune-skill").symlink_to(tmp_path / "disk")
    assert xdg_folder("XDG_CACHE_HOME", ".cache") == shared_root / "tune-skill"


def test_only_own_answers_are_removed_when_they_are_old(shared_root):
    folder = shared_root / "tune-skill" / "answers"
    folder.mkdir(0o700, parents=True)
    old_names = ["id_rsa", "a" * 64 + ".json", "room-12", "paid.json"]
    for name in old_names:
        (folder / name).write_text("{}")
        os.utime(folder / name, (time.time() - 9e5,) * 2)
    open_answers({})
    assert sorted(path.name for path in folder.iterdir()) == ["id_rsa", "paid.json"]


def test_only_own_rows_are_removed_from_a_large_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(row_cache, "_MAX_BYTES", 10)
    for name in ("holiday.jpg", "b" * 64):
        (tmp_path / name).write_bytes(b"x" * 100)
    Cache(tmp_path).trim()
    assert [path.name for path in tmp_path.iterdir()] == ["holiday.jpg"]
