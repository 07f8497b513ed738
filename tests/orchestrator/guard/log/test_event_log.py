"""Test appending records to an event log, without loss or torn lines, and reading them."""

import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.fs import append_log
from orchestrator.guard.log.event_log import EventLog, encode_needle

ROOT = Path(__file__).parents[4]


@pytest.fixture
def log(tmp_path):
    return EventLog(tmp_path / "logs" / "events.jsonl", lambda: 1772357400.25)


@pytest.fixture
def without_strict_mode(monkeypatch):
    monkeypatch.delenv("TUNE_SKILL_STRICT")


def test_record_has_the_five_documented_fields(log):
    log.append("session_started", {"session_id": "abc", "event": "data may be called so too"})
    assert json.loads(log.path.read_text()) == {
        "timestamp": 1772357400.25,
        "event": "session_started",
        "breadcrumb": None,
        "data": {"session_id": "abc", "event": "data may be called so too"},
        "hook_input": None,
    }


def test_read_keeps_the_order_of_writing(log):
    for number in range(5):
        log.append("step", {"number": number})
    assert [record["data"]["number"] for record in log.read()] == [0, 1, 2, 3, 4]
    assert log.skipped == 0


def test_read_of_a_missing_log_is_empty(log):
    assert list(log.read()) == []


def test_log_is_private_to_its_owner(log):
    log.append("step", {})
    second_log = EventLog(log.path.with_name("more.jsonl"))
    second_log.append("step", {})
    assert stat.S_IMODE(log.path.stat().st_mode) == stat.S_IMODE(second_log.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(log.path.parent.stat().st_mode) == 0o700


def test_append_keeps_hostile_text_in_its_line(log):
    text = 'a\nb\r\u2028c\u0085d"}\n{"event": "forged", "timestamp": 1}\n\ud800\x00'
    log.append("step", {"text": text})
    log.append("step", {"text": "next"})
    assert [record["data"]["text"] for record in log.read()] == [text, "next"]


def test_read_skips_and_counts_invalid_lines(log):
    log.append("first", {})
    invalid_lines = ["not json", "[1]", "{}", '{"event": "no time"}', '{"event": 5, "timestamp": 1}', "[" * 100_000]
    with log.path.open("ab") as file:
        file.write("\n".join(invalid_lines).encode() + b"\n\xff\xfe\n" + b'{"timestamp": true, "event": "x"}\n')
    log.append("last", {})
    assert [record["event"] for record in log.read()] == ["first", "last"]
    assert log.skipped == len(invalid_lines) + 2
    assert len(list(log.read())) == 2
    assert log.skipped == len(invalid_lines) + 2, "each reading must count from zero"


def test_read_skips_the_unfinished_line_of_a_killed_writer(log):
    log.append("first", {})
    with log.path.open("ab") as file:
        file.write(b'{"timestamp": 1.0, "event": "to')
    log.append("second", {})
    assert [record["event"] for record in log.read()] == ["first", "second"]
    assert log.skipped == 1


def test_append_leaves_no_half_line_on_a_full_disk(log, monkeypatch):
    log.append("first", {})
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:10]))
    with pytest.raises(OSError, match="no space left on the disk"):
        log.append("second", {})
    monkeypatch.undo()
    assert len(log.path.read_bytes().splitlines()) == 1


@pytest.mark.usefixtures("without_strict_mode")
def test_append_warns_once_on_failure(log, monkeypatch, capsys):
    def raise_no_space(fd, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    log.append("before", {})
    monkeypatch.setattr(os, "write", raise_no_space)
    log.append("one", {})
    log.append("two", {})
    log.append("three", {"value": float("nan")})
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.splitlines() == [f"warning: cannot write the event log {log.path}: No space left on device"]


@pytest.mark.usefixtures("without_strict_mode")
@pytest.mark.parametrize("value", [float("nan"), object(), {1, 2}])
def test_append_skips_data_that_is_not_json_with_a_warning(log, capsys, value):
    log.append("bad", {"value": value})
    log.append("good", {})
    assert [record["event"] for record in log.read()] == ["good"]
    assert capsys.readouterr().err.startswith("warning: cannot write the event log")


@pytest.mark.usefixtures("without_strict_mode")
def test_append_warns_if_the_folder_cannot_be_created(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    EventLog(tmp_path / "file" / "events.jsonl").append("step", {})
    assert capsys.readouterr().err.startswith("warning: cannot write the event log")


def test_append_raises_under_strict(tmp_path):
    (tmp_path / "events.jsonl").mkdir()
    with pytest.raises(IsADirectoryError):
        EventLog(tmp_path / "events.jsonl").append("step", {})


def test_append_follows_no_link(tmp_path):
    victim = tmp_path / "profile"
    victim.write_text("export A=1\n")
    (tmp_path / "events.jsonl").symlink_to(victim)
    with pytest.raises(OSError, match="is a link"):
        EventLog(tmp_path / "events.jsonl").append("step", {})
    assert victim.read_text() == "export A=1\n"


WRITER_PROGRAM = """
import os, sys
from pathlib import Path
from orchestrator.guard.log.event_log import EventLog
log = EventLog(Path(sys.argv[1]), part_bytes=int(sys.argv[2]))
children = []
for writer in range(64):
    child = os.fork()
    if not child:
        for number in range(150):
            assert log.append("step", {"writer": writer, "number": number, "text": "x" * (number * 37 % 900)})
        os._exit(0)
    children.append(child)
sys.exit(any(os.waitpid(child, 0)[1] for child in children))
"""


@pytest.mark.parametrize("part_bytes", [append_log.PART_BYTES, 2_000_000], ids=["one part", "several parts"])
def test_64_writers_lose_and_tear_no_line(log, part_bytes):
    result = subprocess.run(
        [sys.executable, "-c", WRITER_PROGRAM, str(log.path), str(part_bytes)], cwd=ROOT, timeout=120
    )
    assert result.returncode == 0
    numbers_by_writer = [[] for _ in range(64)]
    for record in log.read():
        numbers_by_writer[record["data"]["writer"]].append(record["data"]["number"])
    assert log.skipped == 0
    assert numbers_by_writer == [list(range(150))] * 64
    assert (len(append_log.list_parts(str(log.path))) > 0) == (part_bytes == 2_000_000)


def list_numbers(records):
    return [record["data"]["number"] for record in records]


@pytest.fixture
def log_in_parts(tmp_path):
    log = EventLog(tmp_path / "log.jsonl", part_bytes=400)
    for number in range(20):
        log.append("step" if number % 7 else "seventh", {"number": number})
    return log


def test_read_joins_the_parts(log_in_parts):
    assert len(append_log.list_parts(str(log_in_parts.path))) > 4
    assert list_numbers(log_in_parts.read()) == list(range(20))
    assert list_numbers(log_in_parts.read(newest_first=True)) == list(range(20))[::-1]


def test_read_finds_a_rare_event_from_either_end(log_in_parts):
    assert list_numbers(log_in_parts.read(needles=[encode_needle("seventh")])) == [0, 7, 14]
    assert list_numbers(log_in_parts.read(newest_first=True, needles=[encode_needle("seventh"), b'"number":'])) == [
        14,
        7,
        0,
    ]


def test_oldest_parts_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(append_log, "PARTS", 3)
    log = EventLog(tmp_path / "log.jsonl", part_bytes=10)
    for number in range(9):
        log.append("step", {"number": number})
    assert list_numbers(log.read()) == [5, 6, 7, 8]
    assert [Path(part).name for part in append_log.list_parts(str(log.path))] == [
        f"log.jsonl.00000{n}" for n in (6, 7, 8)
    ]


def test_read_ignores_other_files_beside_the_log(log_in_parts):
    log_in_parts.path.with_name("log.jsonl.backup").write_text("not json")
    assert list_numbers(log_in_parts.read()) == list(range(20))
    assert log_in_parts.skipped == 0


def test_read_skips_a_torn_last_line_from_either_end(log):
    log.append("first", {})
    log.append("second", {})
    with log.path.open("r+b") as file:
        file.truncate(log.path.stat().st_size - 9)
    for newest_first in (True, False):
        assert [record["event"] for record in log.read(newest_first=newest_first)] == ["first"]
        assert log.skipped == 1


def test_append_leaves_out_the_large_values_of_an_input(log):
    many_values = {f"key-{n}": n for n in range(300_000)}
    assert log.append(
        "tool_call_started", many_values, {"session_id": "s", "tool_input": {"command": "x" * 60_000_000}}
    )
    assert log.path.stat().st_size < 100_000
    (record,) = log.read(newest_first=True)
    assert record["hook_input"] == {"session_id": "s", "left_out": 1}
    assert record["data"] == {"left_out": 300_000}


@pytest.mark.parametrize("newest_first", [False, True])
def test_read_skips_a_line_that_is_too_long(log, newest_first):
    log.append("step", {})
    with log.path.open("a") as file:
        file.write(log.path.read_text().replace("{}", json.dumps({"x": "x" * 9_000_000})))
    assert [record["data"] for record in log.read(newest_first=newest_first)] == [{}]
