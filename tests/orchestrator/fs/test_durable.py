"""Test durable writes: after any kill or fault, a file has its old or its new content."""

import errno
import json
import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.errors import WriteFailed, WriteUnsettled
from orchestrator.fs import durable

ROOT = Path(__file__).parents[3]
ORIGINAL_CALLS = {name: getattr(os, name) for name in ("open", "write", "fsync", "replace", "link", "mkdir", "read")}


@pytest.fixture
def target(tmp_path):
    path = tmp_path / "state.json"
    path.write_bytes(b"old")
    return path


@pytest.fixture
def recorded_delays(monkeypatch):
    """Return a list that records the delays between attempts, during which nothing sleeps."""
    delays = []
    monkeypatch.setattr("orchestrator.fs.durable.time.sleep", delays.append)
    return delays


def make_failing_call(name, number, times=99):
    """Return a system call whose first `times` calls fail."""
    calls = []

    def call(*args, **kwargs):
        calls.append(args)
        if len(calls) <= times:
            raise OSError(number, os.strerror(number))
        return ORIGINAL_CALLS[name](*args, **kwargs)

    return call


def list_files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_write_creates_and_replaces_a_file(tmp_path):
    path = tmp_path / "new.json"
    durable.write_bytes(path, b"one")
    durable.write_bytes(path, b"two")
    assert path.read_bytes() == b"two"
    assert list_files(tmp_path) == ["new.json"]


def test_write_syncs_the_bytes_before_the_rename_and_the_folder(target, monkeypatch):
    steps = []

    def record_fsync(fd):
        steps.append("folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file")
        ORIGINAL_CALLS["fsync"](fd)

    def record_replace(source, destination, **options):
        steps.append("rename")
        ORIGINAL_CALLS["replace"](source, destination, **options)

    monkeypatch.setattr(os, "fsync", record_fsync)
    monkeypatch.setattr(os, "replace", record_replace)
    durable.write_bytes(target, b"new")
    assert steps == ["file", "rename", "folder"]


def test_write_keeps_the_old_mode_unless_one_is_given(target):
    target.chmod(0o640)
    durable.write_bytes(target, b"new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    durable.write_bytes(target, b"newer", mode=0o600)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes")
def test_write_keeps_owner_and_extended_attributes(target):
    os.setxattr(target, "user.origin", b"shore")
    if os.geteuid() == 0:
        os.chown(target, 1234, 5678)
    stat_before = target.stat()
    durable.write_bytes(target, b"new", mode=0o640)
    stat_after = target.stat()
    assert os.getxattr(target, "user.origin") == b"shore"
    assert (stat_after.st_uid, stat_after.st_gid, stat.S_IMODE(stat_after.st_mode)) == (
        stat_before.st_uid,
        stat_before.st_gid,
        0o640,
    )


def test_write_accepts_the_longest_file_name(tmp_path):
    path = tmp_path / ("n" * 255)
    durable.write_bytes(path, b"x")
    assert path.read_bytes() == b"x"


def test_keep_last_good_keeps_the_previous_version(target):
    durable.write_bytes(target, b"new", keep_last_good=True)
    durable.write_bytes(target, b"newer", keep_last_good=True)
    assert target.read_bytes() == b"newer"
    assert target.with_name("state.json.last-good").read_bytes() == b"new"
    assert list_files(target.parent) == ["state.json", "state.json.last-good"]


def test_folder_in_place_of_the_last_good_version_is_named(target):
    target.with_name("state.json.last-good").mkdir()
    with pytest.raises(WriteFailed, match=r"state\.json: state\.json\.last-good is a folder; its content is unchanged"):
        durable.write_bytes(target, b"new", keep_last_good=True)


def test_keep_last_good_survives_a_kill_between_link_and_rename(target):
    os.link(target, target.with_name("state.json.last-good"))
    durable.write_bytes(target, b"new", keep_last_good=True)
    assert target.with_name("state.json.last-good").read_bytes() == b"old"
    assert list_files(target.parent) == ["state.json", "state.json.last-good"]


def test_keep_last_good_copies_without_hard_links(target, monkeypatch):
    monkeypatch.setattr(os, "link", make_failing_call("link", errno.EPERM))
    durable.write_bytes(target, b"new", keep_last_good=True)
    assert target.with_name("state.json.last-good").read_bytes() == b"old"
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
@pytest.mark.parametrize("name", ["open", "write", "fsync", "replace", "link"])
def test_write_fails_at_once_on_a_lasting_fault(target, monkeypatch, recorded_delays, name, number):
    monkeypatch.setattr(os, name, make_failing_call(name, number))
    with pytest.raises(WriteFailed, match=f"cannot write {target}: {os.strerror(number)}"):
        durable.write_bytes(target, b"new", keep_last_good=True)
    assert recorded_delays == []
    assert target.read_bytes() == b"old"
    assert list_files(target.parent) in (["state.json"], ["state.json", "state.json.last-good"])


@pytest.mark.parametrize("is_folder", [True, False])
def test_refused_write_says_whose_file_it_is(target, monkeypatch, is_folder):
    place = target.parent if is_folder else target
    monkeypatch.setattr(durable, "describe_stranger", lambda path: f"{path} belongs to ann" if path == place else "")
    monkeypatch.setattr(os, "replace", make_failing_call("replace", errno.EPERM))
    with pytest.raises(WriteFailed, match=f"Operation not permitted, because {place} belongs to ann; its content is"):
        durable.write_bytes(target, b"new")


@pytest.mark.parametrize("name", ["open", "write", "fsync", "replace", "link"])
def test_write_retries_a_transient_fault_three_times(target, monkeypatch, recorded_delays, name):
    monkeypatch.setattr(os, name, make_failing_call(name, errno.EIO, times=3))
    durable.write_bytes(target, b"new", keep_last_good=True)
    assert recorded_delays == [0.1, 0.2, 0.4]
    assert target.read_bytes() == b"new"
    assert list_files(target.parent) == ["state.json", "state.json.last-good"]


def test_write_fails_after_four_attempts(target, monkeypatch, recorded_delays):
    monkeypatch.setattr(os, "fsync", make_failing_call("fsync", errno.EIO))
    with pytest.raises(WriteFailed):
        durable.write_bytes(target, b"new")
    assert recorded_delays == [0.1, 0.2, 0.4]
    assert target.read_bytes() == b"old"
    assert list_files(target.parent) == ["state.json"]


def test_write_continues_after_a_short_write(target, monkeypatch):
    monkeypatch.setattr(os, "write", lambda fd, data: ORIGINAL_CALLS["write"](fd, data[:7]))
    durable.write_bytes(target, bytes(range(100)))
    assert target.read_bytes() == bytes(range(100))


@pytest.mark.usefixtures("recorded_delays")
@pytest.mark.parametrize(
    "faulty_write",
    [
        lambda fd, data: ORIGINAL_CALLS["write"](fd, data[:-1]) + 1,
        lambda fd, data: ORIGINAL_CALLS["write"](fd, bytes(len(data))),
        lambda fd, data: 0,
    ],
    ids=["says more than it wrote", "writes other bytes", "writes nothing"],
)
def test_write_detects_a_wrong_read_back(target, monkeypatch, faulty_write):
    monkeypatch.setattr(os, "write", faulty_write)
    with pytest.raises(WriteFailed):
        durable.write_bytes(target, b"new content", keep_last_good=True)
    assert target.read_bytes() == b"old"
    assert list_files(target.parent) == ["state.json"]


def test_write_keeps_the_old_file_at_a_size_limit(target):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(WriteFailed, match="File too large"):
            durable.write_bytes(target, b"x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert target.read_bytes() == b"old"
    assert list_files(target.parent) == ["state.json"]


def make_fsync_failing_for_folders(number):
    def call(fd):
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(number, os.strerror(number))
        return ORIGINAL_CALLS["fsync"](fd)

    return call


@pytest.mark.usefixtures("recorded_delays")
def test_write_reports_an_unconfirmed_rename(target, monkeypatch):
    monkeypatch.setattr(os, "fsync", make_fsync_failing_for_folders(errno.EIO))
    with pytest.raises(WriteUnsettled, match="did not confirm"):
        durable.write_bytes(target, b"new", keep_last_good=True)
    assert target.read_bytes() == b"new"
    assert target.with_name("state.json.last-good").read_bytes() == b"old", "a retry replaced the last good version"


def test_write_works_without_fsync_of_folders(target, monkeypatch):
    monkeypatch.setattr(os, "fsync", make_fsync_failing_for_folders(errno.EINVAL))
    durable.write_bytes(target, b"new")
    assert target.read_bytes() == b"new"


def test_interrupt_leaves_the_old_file_and_no_temporary_file(target, monkeypatch):
    def interrupt(fd):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        durable.write_bytes(target, b"new")
    assert target.read_bytes() == b"old"
    assert list_files(target.parent) == ["state.json"]


def test_write_reports_a_missing_folder(tmp_path):
    with pytest.raises(WriteFailed, match=r"gone does not exist;"):
        durable.write_bytes(tmp_path / "gone" / "state.json", b"x")


KILLS = 60
KILLED_WRITER = f"""
import json, os, signal, sys, time
from pathlib import Path
from orchestrator.fs.durable import write_json

path = Path(sys.argv[1])
last = path.with_name(path.name + ".last-good")
number_in = lambda file: json.loads(file.read_bytes())["number"]
for kill in range({KILLS}):
    start = number = number_in(path)
    writer = os.fork()
    if not writer:
        while True:
            number += 1
            write_json(path, {{"number": number, "text": str(number) * 60}}, keep_last_good=True)
    try:
        while number_in(path) == start:
            time.sleep(0.0005)
        time.sleep(kill % 20 * 0.00037)
    finally:
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
    after = json.loads(path.read_bytes())
    assert after["text"] == str(after["number"]) * 60, after
    assert after["number"] - number_in(last) in (0, 1), (number_in(last), after)
print(after["number"])
"""


def test_file_is_old_or_new_after_many_kills(tmp_path):
    path = tmp_path / "state.json"
    durable.write_json(path, {"number": 1, "text": "1" * 60})
    result = subprocess.run(
        [sys.executable, "-c", KILLED_WRITER, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) > KILLS
    assert list(tmp_path.glob(".*.tmp")), "no kill happened during a write"
    (tmp_path / ".tune-skill-0123456789abcdef.tmp").write_bytes(b"of the user")
    durable.remove_temp_files(tmp_path, "other.json", "state.json")
    assert list_files(tmp_path) == [".tune-skill-0123456789abcdef.tmp", "state.json", "state.json.last-good"]


def test_old_temp_files_are_removed_from_our_folders(tmp_path):
    old, new, folder, link = (tmp_path / durable.build_temp_name(name) for name in "abcd")
    for path in (old, new, tmp_path / "state.json", tmp_path / ".tune-skill-0123.tmp"):
        path.write_text("x")
        os.utime(path, (0, 0))
    folder.mkdir()
    link.symlink_to(new)
    os.utime(new)
    durable.remove_old_temp_files(tmp_path)
    durable.remove_old_temp_files(tmp_path / "missing")
    assert set(tmp_path.iterdir()) == {new, folder, link, tmp_path / "state.json", tmp_path / ".tune-skill-0123.tmp"}
    durable.remove_old_temp_files(tmp_path, 0.0)
    assert not new.exists()


def test_encode_writes_one_property_per_line():
    text = durable.encode({"a": [1, {"b": None}], "ü": "é\n"})
    assert text.decode() == '{\n"a":[1,{"b":null}],\n"ü":"é\\n"\n}\n'


@pytest.mark.parametrize("value", [{}, [], "text", 1.5, {"a": {}}, {"": ["\u2028", "\x00", "\ud800", "x\udcff"]}])
def test_encode_round_trips_as_utf_8(value):
    text = durable.encode(value)
    assert json.loads(text.decode("utf-8")) == value
    assert text.endswith(b"\n")


@pytest.mark.parametrize("value", [float("nan"), {"a": float("inf")}, {"a": [{"b": float("-inf")}]}])
def test_encode_refuses_nan_and_infinities(target, value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        durable.write_json(target, value)
    assert target.read_bytes() == b"old"


def test_our_folders_are_private_and_ignored_by_git(tmp_path):
    folder = tmp_path / "a" / ".workflow"
    durable.ensure_private_dir(folder)
    durable.ensure_private_dir(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / ".gitignore").read_text() == "*\n"


def test_non_empty_folder_gets_no_ignore_file(tmp_path):
    (tmp_path / "kept.md").write_text("mine")
    durable.ensure_private_dir(tmp_path)
    assert list_files(tmp_path) == ["kept.md"]


def test_ensure_dir_retries_a_transient_fault(tmp_path, monkeypatch, recorded_delays):
    monkeypatch.setattr(os, "mkdir", make_failing_call("mkdir", errno.EIO, times=1))
    assert durable.ensure_dir(tmp_path / "new")
    assert recorded_delays == [0.1]


def test_folder_that_cannot_be_created_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteFailed, match="cannot create the folder"):
        durable.ensure_private_dir(tmp_path / "file" / "folder")


def test_old_temp_files_go_although_one_cannot_be_removed(tmp_path, monkeypatch):
    files = [tmp_path / durable.build_temp_name(name) for name in "abc"]
    for file in files:
        file.write_text("{")
    unlink, refused_files = os.unlink, []

    def refuse_first(name, **options):
        if not refused_files:
            refused_files.append(name)
            raise PermissionError(name)
        unlink(name, **options)

    with monkeypatch.context() as patch:
        patch.setattr(durable.os, "unlink", refuse_first)
        durable.remove_old_temp_files(tmp_path, 0.0)
    assert [file.name for file in files if file.exists()] == refused_files
