"""A file of the cache gives back what was kept in it, or nothing."""

import os

import pytest

from orchestrator.engine.cache_files import read_cached, write_cached

VALUE = {"a": [1, None, "\u2028 箱"], "b": ""}


def test_what_was_kept_is_read_and_is_the_users_alone(tmp_path):
    file = tmp_path / "new" / "folder" / "one"
    write_cached(file, VALUE)
    assert read_cached(file) == VALUE
    assert [path.stat().st_mode & 0o777 for path in (file.parent, file)] == [0o700, 0o600]


@pytest.mark.parametrize("cut", range(0, 90, 10))
def test_a_part_of_a_file_is_nothing(tmp_path, cut):
    write_cached(tmp_path / "one", VALUE)
    whole = (tmp_path / "one").read_bytes()
    assert len(whole) > cut
    (tmp_path / "one").write_bytes(whole[:cut])
    assert read_cached(tmp_path / "one") is None


def test_where_nothing_can_be_kept_nothing_is_raised(tmp_path):
    (tmp_path / "file").write_text("")
    write_cached(tmp_path / "file" / "one", VALUE)
    assert read_cached(tmp_path / "file" / "one") is read_cached(tmp_path) is None


def test_a_file_in_the_place_of_another_is_nothing(tmp_path):
    write_cached(tmp_path / "one", VALUE)
    (tmp_path / "one").rename(tmp_path / "two")
    assert read_cached(tmp_path / "two") is None


def test_what_is_no_plain_file_is_nothing(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    assert read_cached(tmp_path / "pipe") is read_cached(tmp_path / "endless") is None


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_file_that_others_may_write_is_nothing(tmp_path, mode):
    write_cached(tmp_path / "one", VALUE)
    (tmp_path / "one").chmod(mode)
    assert read_cached(tmp_path / "one") is None


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_in_a_folder_that_others_may_write_nothing_is_kept_or_believed(tmp_path, mode):
    write_cached(tmp_path / "one", VALUE)
    tmp_path.chmod(mode)
    write_cached(tmp_path / "two", VALUE)
    assert read_cached(tmp_path / "one") is None
    assert not (tmp_path / "two").exists()


def test_what_another_user_laid_is_nothing(tmp_path, monkeypatch):
    write_cached(tmp_path / "one", VALUE)
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    write_cached(tmp_path / "two", VALUE)
    assert read_cached(tmp_path / "one") is None
    assert not (tmp_path / "two").exists()


def test_a_link_to_what_was_kept_elsewhere_is_nothing(tmp_path):
    write_cached(tmp_path / "one", VALUE)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "one").symlink_to(tmp_path / "one")
    assert read_cached(tmp_path / "folder" / "one") is None
