"""The durable writer: a file holds its old or its new content, whatever happens."""

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
REAL = {name: getattr(os, name) for name in ("open", "write", "fsync", "replace", "link", "read")}


@pytest.fixture
def target(tmp_path):
    path = tmp_path / "state.json"
    path.write_bytes(b"old")
    return path


@pytest.fixture
def naps(monkeypatch):
    """The delays between attempts, noted instead of slept."""
    taken = []
    monkeypatch.setattr("orchestrator.fs.durable.time.sleep", taken.append)
    return taken


def failing(name, number, times=99):
    """Give a system call that fails its first `times` calls."""
    calls = []

    def call(*args, **kwargs):
        calls.append(args)
        if len(calls) <= times:
            raise OSError(number, os.strerror(number))
        return REAL[name](*args, **kwargs)

    return call


def files_of(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_and_replaced(tmp_path):
    path = tmp_path / "new.json"
    durable.write_bytes(path, b"one")
    durable.write_bytes(path, b"two")
    assert path.read_bytes() == b"two"
    assert files_of(tmp_path) == ["new.json"]


def test_the_bytes_reach_the_disk_before_the_name_and_the_name_before_the_return(target, monkeypatch):
    steps = []

    def noted_fsync(fd):
        steps.append("folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file")
        REAL["fsync"](fd)

    def noted_replace(source, goal, **folders):
        steps.append("rename")
        REAL["replace"](source, goal, **folders)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    durable.write_bytes(target, b"new")
    assert steps == ["file", "rename", "folder"]


def test_an_old_file_keeps_its_mode_and_a_given_mode_wins(target):
    target.chmod(0o640)
    durable.write_bytes(target, b"new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    durable.write_bytes(target, b"newer", mode=0o600)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_the_longest_file_name_can_be_written(tmp_path):
    path = tmp_path / ("n" * 255)
    durable.write_bytes(path, b"x")
    assert path.read_bytes() == b"x"


def test_last_good_is_the_previous_generation(target):
    durable.write_bytes(target, b"new", keep_last_good=True)
    durable.write_bytes(target, b"newer", keep_last_good=True)
    assert target.read_bytes() == b"newer"
    assert target.with_name("state.json.last-good").read_bytes() == b"new"
    assert files_of(target.parent) == ["state.json", "state.json.last-good"]


def test_last_good_may_already_be_the_same_file_after_a_kill_between_link_and_rename(target):
    os.link(target, target.with_name("state.json.last-good"))
    durable.write_bytes(target, b"new", keep_last_good=True)
    assert target.with_name("state.json.last-good").read_bytes() == b"old"
    assert files_of(target.parent) == ["state.json", "state.json.last-good"]


def test_last_good_is_copied_where_the_file_system_has_no_links(target, monkeypatch):
    monkeypatch.setattr(os, "link", failing("link", errno.EPERM))
    durable.write_bytes(target, b"new", keep_last_good=True)
    assert target.with_name("state.json.last-good").read_bytes() == b"old"
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
@pytest.mark.parametrize("name", ["open", "write", "fsync", "replace", "link"])
def test_a_lasting_fault_in_any_step_keeps_the_old_file_and_is_told_without_waiting(
    target, monkeypatch, naps, name, number
):
    monkeypatch.setattr(os, name, failing(name, number))
    with pytest.raises(WriteFailed, match=f"cannot write {target}: {os.strerror(number)}"):
        durable.write_bytes(target, b"new", keep_last_good=True)
    assert naps == []
    assert target.read_bytes() == b"old"
    assert files_of(target.parent) in (["state.json"], ["state.json", "state.json.last-good"])


@pytest.mark.parametrize("name", ["open", "write", "fsync", "replace", "link"])
def test_a_passing_fault_is_outwaited_in_three_more_attempts(target, monkeypatch, naps, name):
    monkeypatch.setattr(os, name, failing(name, errno.EIO, times=3))
    durable.write_bytes(target, b"new", keep_last_good=True)
    assert naps == [0.1, 0.2, 0.4]
    assert target.read_bytes() == b"new"
    assert files_of(target.parent) == ["state.json", "state.json.last-good"]


def test_a_fault_that_does_not_pass_fails_after_four_attempts(target, monkeypatch, naps):
    monkeypatch.setattr(os, "fsync", failing("fsync", errno.EIO))
    with pytest.raises(WriteFailed):
        durable.write_bytes(target, b"new")
    assert naps == [0.1, 0.2, 0.4]
    assert target.read_bytes() == b"old"
    assert files_of(target.parent) == ["state.json"]


def test_short_writes_are_continued(target, monkeypatch):
    monkeypatch.setattr(os, "write", lambda fd, data: REAL["write"](fd, data[:7]))
    durable.write_bytes(target, bytes(range(100)))
    assert target.read_bytes() == bytes(range(100))


@pytest.mark.usefixtures("naps")
@pytest.mark.parametrize(
    "lie",
    [
        lambda fd, data: REAL["write"](fd, data[:-1]) + 1,
        lambda fd, data: REAL["write"](fd, bytes(len(data))),
        lambda fd, data: 0,
    ],
    ids=["says more than it wrote", "writes other bytes", "writes nothing"],
)
def test_a_disk_that_lies_is_found_out_before_the_rename(target, monkeypatch, lie):
    monkeypatch.setattr(os, "write", lie)
    with pytest.raises(WriteFailed):
        durable.write_bytes(target, b"new content", keep_last_good=True)
    assert target.read_bytes() == b"old"
    assert files_of(target.parent) == ["state.json"]


def test_a_file_size_limit_keeps_the_old_file(target):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(WriteFailed, match="File too large"):
            durable.write_bytes(target, b"x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert target.read_bytes() == b"old"
    assert files_of(target.parent) == ["state.json"]


def fsync_of_folders(number):
    def call(fd):
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(number, os.strerror(number))
        return REAL["fsync"](fd)

    return call


@pytest.mark.usefixtures("naps")
def test_a_rename_that_the_disk_does_not_confirm_is_told_as_unsettled(target, monkeypatch):
    monkeypatch.setattr(os, "fsync", fsync_of_folders(errno.EIO))
    with pytest.raises(WriteUnsettled, match="did not confirm"):
        durable.write_bytes(target, b"new", keep_last_good=True)
    assert target.read_bytes() == b"new"
    assert target.with_name("state.json.last-good").read_bytes() == b"old", "retries must not push it out"


def test_a_file_system_without_fsync_of_folders_will_do(target, monkeypatch):
    monkeypatch.setattr(os, "fsync", fsync_of_folders(errno.EINVAL))
    durable.write_bytes(target, b"new")
    assert target.read_bytes() == b"new"


def test_an_interrupt_leaves_the_old_file_and_no_temp_file(target, monkeypatch):
    def interrupt(fd):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        durable.write_bytes(target, b"new")
    assert target.read_bytes() == b"old"
    assert files_of(target.parent) == ["state.json"]


def test_a_missing_folder_is_told(tmp_path):
    with pytest.raises(WriteFailed, match=r"gone does not exist;"):
        durable.write_bytes(tmp_path / "gone" / "state.json", b"x")


KILLS = 60
KILLER = f"""
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


def test_a_file_stays_readable_old_or_new_through_many_kills_of_its_writer(tmp_path):
    path = tmp_path / "state.json"
    durable.write_json(path, {"number": 1, "text": "1" * 60})
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(path)], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > KILLS
    assert list(tmp_path.glob(".*.tmp")), "some kill must have struck within a write"
    durable.remove_temp_files(tmp_path)
    assert files_of(tmp_path) == ["state.json", "state.json.last-good"]


def test_an_object_is_encoded_a_property_a_line():
    text = durable.encode({"a": [1, {"b": None}], "ü": "é\n"})
    assert text.decode() == '{\n"a":[1,{"b":null}],\n"ü":"é\\n"\n}\n'


@pytest.mark.parametrize("value", [{}, [], "text", 1.5, {"a": {}}, {"": ["\u2028", "\x00", "\ud800", "x\udcff"]}])
def test_what_is_encoded_is_utf_8_and_reads_back_the_same(value):
    text = durable.encode(value)
    assert json.loads(text.decode("utf-8")) == value
    assert text.endswith(b"\n")


@pytest.mark.parametrize("value", [float("nan"), {"a": float("inf")}, {"a": [{"b": float("-inf")}]}])
def test_nan_and_infinities_are_refused_and_nothing_is_written(target, value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        durable.write_json(target, value)
    assert target.read_bytes() == b"old"


def test_a_folder_of_ours_is_private_and_ignored_by_git(tmp_path):
    folder = tmp_path / "a" / ".workflow"
    durable.ensure_private_dir(folder)
    durable.ensure_private_dir(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / ".gitignore").read_text() == "*\n"


def test_a_folder_that_holds_something_is_left_as_it_is(tmp_path):
    (tmp_path / "kept.md").write_text("mine")
    durable.ensure_private_dir(tmp_path)
    assert files_of(tmp_path) == ["kept.md"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteFailed, match="cannot create the folder"):
        durable.ensure_private_dir(tmp_path / "file" / "folder")
