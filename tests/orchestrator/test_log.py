"""The event log: one record a line, nothing lost, nothing torn, and never in the way of a run."""

import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.log import EventLog

ROOT = Path(__file__).parents[2]


@pytest.fixture
def log(tmp_path):
    return EventLog(tmp_path / "logs" / "events.jsonl", lambda: 1772357400.25)


@pytest.fixture
def lenient(monkeypatch):
    monkeypatch.delenv("TUNE_SKILL_STRICT")


def test_a_record_has_the_five_parts_of_the_event_format(log):
    log.append("session_started", session_id="abc", event="data may be called so too")
    assert json.loads(log.path.read_text()) == {
        "timestamp": 1772357400.25,
        "event": "session_started",
        "breadcrumb": None,
        "data": {"session_id": "abc", "event": "data may be called so too"},
        "hook_input": None,
    }


def test_records_are_read_in_the_order_of_their_writing(log):
    for number in range(5):
        log.append("step", number=number)
    assert [record["data"]["number"] for record in log.read()] == [0, 1, 2, 3, 4]
    assert log.skipped == 0


def test_a_log_that_is_not_there_yet_is_empty(log):
    assert list(log.read()) == []


def test_the_log_is_private_to_its_owner(log):
    log.append("step")
    beside = EventLog(log.path.with_name("more.jsonl"))
    beside.append("step")
    assert stat.S_IMODE(log.path.stat().st_mode) == stat.S_IMODE(beside.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(log.path.parent.stat().st_mode) == 0o700


def test_hostile_text_stays_within_its_line(log):
    text = 'a\nb\r\u2028c\u0085d"}\n{"event": "forged", "timestamp": 1}\n\ud800\x00'
    log.append("step", text=text)
    log.append("step", text="next")
    assert [record["data"]["text"] for record in log.read()] == [text, "next"]


def test_torn_and_foreign_lines_are_skipped_and_counted(log):
    log.append("first")
    bad = ["not json", "[1]", "{}", '{"event": "no time"}', '{"event": 5, "timestamp": 1}', "[" * 100_000]
    with log.path.open("ab") as file:
        file.write("\n".join(bad).encode() + b"\n\xff\xfe\n" + b'{"timestamp": true, "event": "x"}\n')
    log.append("last")
    assert [record["event"] for record in log.read()] == ["first", "last"]
    assert log.skipped == len(bad) + 2
    assert len(list(log.read())) == 2
    assert log.skipped == len(bad) + 2, "counted anew with each reading"


def test_a_line_that_a_killed_writer_left_unfinished_costs_only_itself(log):
    log.append("first")
    with log.path.open("ab") as file:
        file.write(b'{"timestamp": 1.0, "event": "to')
    log.append("second")
    assert [record["event"] for record in log.read()] == ["first", "second"]
    assert log.skipped == 1


def test_a_disk_that_takes_half_a_line_leaves_no_half_line(log, monkeypatch):
    log.append("first")
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:10]))
    with pytest.raises(OSError, match="did not fit"):
        log.append("second")
    monkeypatch.undo()
    assert len(log.path.read_bytes().splitlines()) == 1


@pytest.mark.usefixtures("lenient")
def test_a_failing_append_costs_one_warning_and_not_the_run(log, monkeypatch, capsys):
    def full(fd, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    log.append("before")
    monkeypatch.setattr(os, "write", full)
    log.append("one")
    log.append("two")
    log.append("three", value=float("nan"))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        f"warning: the event log {log.path} is not written: [Errno 28] No space left on device"
    ]


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("value", [float("nan"), object(), {1, 2}])
def test_data_that_is_not_json_is_left_out_with_a_warning(log, capsys, value):
    log.append("bad", value=value)
    log.append("good")
    assert [record["event"] for record in log.read()] == ["good"]
    assert capsys.readouterr().err.startswith("warning: the event log")


@pytest.mark.usefixtures("lenient")
def test_a_folder_that_cannot_be_made_does_not_stop_a_run(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    EventLog(tmp_path / "file" / "events.jsonl").append("step")
    assert capsys.readouterr().err.startswith("warning: the event log")


def test_under_strict_a_failing_append_raises(tmp_path):
    (tmp_path / "events.jsonl").mkdir()
    with pytest.raises(IsADirectoryError):
        EventLog(tmp_path / "events.jsonl").append("step")


def test_a_link_in_the_place_of_the_log_is_not_followed(tmp_path):
    victim = tmp_path / "profile"
    victim.write_text("export A=1\n")
    (tmp_path / "events.jsonl").symlink_to(victim)
    with pytest.raises(OSError, match="symbolic links"):
        EventLog(tmp_path / "events.jsonl").append("step")
    assert victim.read_text() == "export A=1\n"


WRITER = """
import sys
from pathlib import Path
from orchestrator.log import EventLog
log = EventLog(Path(sys.argv[1]))
for number in range(300):
    log.append("step", writer=sys.argv[2], number=number, text="x" * (number * 37 % 9000))
"""


def test_of_the_lines_of_several_processes_none_is_lost_or_torn(log):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(log.path), str(name)], cwd=ROOT) for name in range(4)
    ]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    records = list(log.read())
    assert log.skipped == 0
    for name in "0123":
        assert [r["data"]["number"] for r in records if r["data"]["writer"] == name] == list(range(300))
