"""Test appending lines to log files."""

import errno
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


@pytest.mark.parametrize("mode", [0o600, 0o666])
@pytest.mark.parametrize("writer", ["the owner", "another user", "root"])
def test_log_of_another_user_gets_no_lines(tmp_path, monkeypatch, writer, mode):
    path, owner = tmp_path / "log", 4711
    path.write_bytes(b"one\n")
    path.chmod(mode)
    _give_to(path, owner, monkeypatch)
    monkeypatch.setattr(os, "geteuid", lambda: {"the owner": owner, "another user": owner + 1, "root": 0}[writer])
    if writer == "the owner":
        append_line(str(path), b"two")
    else:
        with pytest.raises(PermissionError, match="belongs to another user"):
            append_line(str(path), b"two")
    assert path.read_bytes() == (b"one\ntwo\n" if writer == "the owner" else b"one\n")


def _give_to(path, owner, monkeypatch):
    """Give a file to a user, or let it appear so if only root could do it."""
    if os.getuid() == 0:
        os.chown(path, owner, -1)
        return
    fstat, inode = os.fstat, path.stat().st_ino

    def read_status(fd):
        status = fstat(fd)
        return os.stat_result((*status[:4], owner, *status[5:])) if status.st_ino == inode else status

    monkeypatch.setattr(os, "fstat", read_status)


def test_append_undoes_a_short_write(tmp_path, monkeypatch):
    with open_log(tmp_path / "log") as fd:
        append(fd, b"one\n")
        write = os.write
        monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:2]))
        with pytest.raises(OSError, match="no space left on the disk"):
            append(fd, b"two\n")
    assert (tmp_path / "log").read_bytes() == b"one\n"


@pytest.mark.parametrize(("code", "content"), [(errno.ENOSPC, b"one\n"), (errno.EIO, b"one\ntwo\n")])
def test_append_undoes_what_a_full_disk_refuses_only_at_the_sync(tmp_path, monkeypatch, code, content):
    """After another error the lines may be on the disk."""

    def fail(_):
        raise OSError(code, os.strerror(code))

    with open_log(tmp_path / "log") as fd:
        append(fd, b"one\n")
        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match=os.strerror(code)):
            append(fd, b"two\n", sync=True)
    assert (tmp_path / "log").read_bytes() == content


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
