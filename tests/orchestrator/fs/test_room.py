"""Test that room is kept on the disk, and that what was paid for is written into it when the disk is full."""

import os
import shutil
import subprocess
import sys

import pytest

from orchestrator.fs.room import BYTES, Room
from tests.full_disk import FullDisk

_FILL = """
import os, sys
from contextlib import suppress
from pathlib import Path
from orchestrator.errors import WriteFailed
from orchestrator.tuning.trial.ledger import Key, Ledger

folder, keys = Path(sys.argv[1]) / "trial", [Key("greet", number, "today") for number in range(3)]
with Ledger.open(folder) as ledger:
    for key in keys[:2]:
        ledger.record("began", key, 0.5, folder="/tmp/x")
    with suppress(OSError), (Path(sys.argv[1]) / "other").open("wb", 0) as file:
        while file.write(os.urandom(4096)):
            pass
    for key in keys[:2]:
        ledger.record("held", key, 0.25, folder="", value="v" * 200_000)
        ledger.record("graded", key, 0.0)
    try:
        ledger.record("began", keys[2], 0.5, folder="/tmp/x")
    except WriteFailed as error:
        print(error)
with Ledger.open(folder) as ledger:
    print(*sorted(map(str, ledger.graded)), ledger.spent, *sorted(os.listdir(folder)))
"""


def test_ledger_on_a_real_full_disk_keeps_two_paid_answers(tmp_path):
    if shutil.which("unshare") is None:
        pytest.skip("needs unshare")
    mount = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=2m none "$0" && exec "$@"', str(tmp_path)]
    if subprocess.run([*mount, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    done = subprocess.run(
        [*mount, sys.executable, "-c", _FILL, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    refused, rest = done.stdout.splitlines()
    assert refused.startswith("cannot write ")
    assert "ledger.jsonl: " in refused
    assert refused.endswith("; fix this and start the trial again")
    assert rest == "greet.0.today greet.1.today 0.5 .gitignore ledger.jsonl"


def test_room_is_given_up_in_parts(tmp_path, monkeypatch):
    disk, room, file = FullDisk(tmp_path, monkeypatch), Room(tmp_path), tmp_path / "file"
    room.keep()
    disk.fill()
    room.write(lambda: append_bytes(file, BYTES // 8))
    assert BYTES // 2 < (tmp_path / "room").stat().st_size < BYTES
    room.write(lambda: append_bytes(file, BYTES // 2))
    assert file.stat().st_size == BYTES // 8 + BYTES // 2
    with pytest.raises(OSError, match="No space left"):
        room.write(lambda: append_bytes(file, BYTES))
    with pytest.raises(OSError, match="No space left"):
        room.keep()
    room.release()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_room_is_kept_if_the_write_failed_for_another_reason(tmp_path):
    room = Room(tmp_path)
    room.keep()
    with pytest.raises(FileNotFoundError):
        room.write(lambda: (tmp_path / "missing" / "file").write_text("x") and None)
    assert (tmp_path / "room").stat().st_size == BYTES


def append_bytes(path, size):
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(fd, bytes(size))
    finally:
        os.close(fd)
