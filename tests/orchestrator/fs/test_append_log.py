"""Test appending lines to log files."""

import os
from pathlib import Path

import pytest

from orchestrator.fs import append_log
from orchestrator.fs.append_log import append, append_line, lock
from orchestrator.fs.durable import closing


def open_log(path):
    return closing(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT))


def test_append_returns_where_the_lines_begin(tmp_path):
    with open_log(tmp_path / "log") as fd:
        assert append(fd, b"one\n") == 0
        assert append(fd, b"two\nthree\n", sync=True) == 4
    assert (tmp_path / "log").read_bytes() == b"one\ntwo\nthree\n"


def test_append_undoes_a_short_write(tmp_path, monkeypatch):
    with open_log(tmp_path / "log") as fd:
        append(fd, b"one\n")
        write = os.write
        monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:2]))
        with pytest.raises(OSError, match="no space left on the disk"):
            append(fd, b"two\n")
    assert (tmp_path / "log").read_bytes() == b"one\n"


def test_lock_refuses_a_second_holder(tmp_path):
    with open_log(tmp_path / "log") as first, open_log(tmp_path / "log") as second:
        lock(first)
        with pytest.raises(BlockingIOError):
            lock(second, wait=False)


def test_append_line_starts_a_new_line_after_a_torn_one(tmp_path):
    log = tmp_path / "log"
    log.write_bytes(b"one\nto")
    append_line(str(log), b"three")
    assert log.read_bytes() == b"one\nto\nthree\n"


def test_append_line_rotates_a_full_log_with_the_given_function(tmp_path):
    log, rotated_logs = tmp_path / "log", []

    def rotate(path):
        rotated_logs.append(Path(path).rename(f"{path}.old"))

    for line in (b"one", b"two", b"three"):
        append_line(str(log), line, 8, rotate)
    assert (log.read_bytes(), len(rotated_logs)) == (b"three\n", 1)
    assert (tmp_path / "log.old").read_bytes() == b"one\ntwo\n"
    assert append_log.list_parts(str(log)) == []
