"""Test the files of the cache: each returns its value, or nothing if it is damaged."""

import os

import pytest

from orchestrator.engine.cache_files import read_cached, write_cached

VALUE = {"a": [1, None, "\u2028 箱"], "b": ""}


def test_cached_value_is_read_and_private(tmp_path):
    file = tmp_path / "new" / "folder" / "one"
    write_cached(file, VALUE)
    assert read_cached(file) == VALUE
    assert [path.stat().st_mode & 0o777 for path in (file.parent, file)] == [0o700, 0o600]


@pytest.mark.parametrize("cut", range(0, 90, 10))
def test_truncated_file_counts_as_missing(tmp_path, cut):
    write_cached(tmp_path / "one", VALUE)
    complete_bytes = (tmp_path / "one").read_bytes()
    assert len(complete_bytes) > cut
    (tmp_path / "one").write_bytes(complete_bytes[:cut])
    assert read_cached(tmp_path / "one") is None


def test_failed_write_raises_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    write_cached(tmp_path / "file" / "one", VALUE)
    assert read_cached(tmp_path / "file" / "one") is read_cached(tmp_path) is None


def test_renamed_file_counts_as_missing(tmp_path):
    write_cached(tmp_path / "one", VALUE)
    (tmp_path / "one").rename(tmp_path / "two")
    assert read_cached(tmp_path / "two") is None


def test_irregular_file_counts_as_missing(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    assert read_cached(tmp_path / "pipe") is read_cached(tmp_path / "endless") is None


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_file_writable_by_others_counts_as_missing(tmp_path, mode):
    write_cached(tmp_path / "one", VALUE)
    (tmp_path / "one").chmod(mode)
    assert read_cached(tmp_path / "one") is None


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_folder_writable_by_others_is_not_used(tmp_path, mode):
    write_cached(tmp_path / "one", VALUE)
    tmp_path.chmod(mode)
    write_cached(tmp_path / "two", VALUE)
    assert read_cached(tmp_path / "one") is None
    assert not (tmp_path / "two").exists()


def test_file_of_another_user_counts_as_missing(tmp_path, monkeypatch):
    write_cached(tmp_path / "one", VALUE)
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    write_cached(tmp_path / "two", VALUE)
    assert read_cached(tmp_path / "one") is None
    assert not (tmp_path / "two").exists()


def test_link_to_a_cached_file_counts_as_missing(tmp_path):
    write_cached(tmp_path / "one", VALUE)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "one").symlink_to(tmp_path / "one")
    assert read_cached(tmp_path / "folder" / "one") is None
