"""Test the store of results: append-only, with one writer; a kill in the middle of a line loses only that line."""

import json
import os
from pathlib import Path

import pytest

from orchestrator.errors import BadInput, Busy, WriteFailed
from orchestrator.fleet.result_store import ResultStore
from orchestrator.fleet.scan_task import make_failed_record


def make_key(number):
    return f"{number:032x}"


def make_record(number, error="it hangs"):
    return make_failed_record(make_key(number), f"/skills/s{number}", error)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.jsonl"


def test_store_reads_its_records_after_a_restart(path):
    with ResultStore(path) as store:
        store.add([make_record(1), make_record(2)])
        store.add([make_record(3)])
    with ResultStore(path) as store:
        assert store.errors == dict.fromkeys(map(make_key, (1, 2, 3)), "it hangs")
        assert list(store.read([make_key(3), make_key(1), make_key(9)])) == [make_record(1), make_record(3)]


def test_store_names_its_file_on_a_full_disk(path, monkeypatch):
    with ResultStore(path) as store:
        monkeypatch.setattr(os, "write", lambda fd, data: 0)
        with pytest.raises(WriteFailed, match=f"cannot write {path}: no space"):
            store.add([make_record(1)])


def test_store_truncates_a_torn_last_line(path):
    with ResultStore(path) as store:
        store.add([make_record(1), make_record(2)])
    complete_bytes = path.read_bytes()
    for length in range(len(complete_bytes) - 1, len(complete_bytes) // 2, -7):
        path.write_bytes(complete_bytes[:length])
        with ResultStore(path) as store:
            assert set(store.errors) == {make_key(1)}
            store.add([make_record(4)])
        assert [json.loads(line)["key"] for line in path.read_text().splitlines()] == [make_key(1), make_key(4)]


@pytest.mark.parametrize("line", [b"not json", b"{}", b'{"key": 7}', b"\xff\xfe", b"[" * 100_000, b""])
def test_store_skips_a_line_of_another_program(path, line):
    with ResultStore(path) as store:
        store.add([make_record(1)])
    path.write_bytes(path.read_bytes() + line + b"\n")
    with ResultStore(path) as store:
        store.add([make_record(2)])
    with ResultStore(path) as store:
        assert (list(store.errors), store.foreign_lines) == ([make_key(1), make_key(2)], 1)


@pytest.mark.parametrize("end", ["", "\n"])
def test_store_skips_an_endless_line_without_keeping_it(path, end, monkeypatch):
    monkeypatch.setattr("orchestrator.fleet.result_store._MAX_LINE", 1_000)
    with ResultStore(path) as store:
        store.add([make_record(1)])
    own_lines = path.read_text()
    path.write_text(own_lines + '{"key":"' + "0" * 10_000 + end)
    with ResultStore(path) as store:
        assert (list(store.errors), store.foreign_lines) == ([make_key(1)], bool(end))
        store.add([make_record(2)])
    assert [len(line) < 1_000 for line in path.read_text().splitlines()] == [True, *[False] * bool(end), True]
    with ResultStore(path) as store:
        assert list(store.read([make_key(1), make_key(2)])) == [make_record(1), make_record(2)]


def test_store_of_many_gigabytes_is_refused_before_reading(path):
    path.touch()
    os.truncate(path, 10_000_000_000)
    with pytest.raises(BadInput, match="larger than 2 GB"):
        ResultStore(path)


def test_store_ignores_a_line_changed_since(path):
    with ResultStore(path) as store:
        store.add([make_record(1), make_record(2)])
        store.add([make_record(3)])
    path.write_bytes(path.read_bytes().replace(b"it hangs", b"is clean", 1) + path.read_bytes().splitlines(True)[1])
    with ResultStore(path) as store:
        assert (store.errors, store.foreign_lines) == ({make_key(2): "it hangs", make_key(3): "it hangs"}, 1)
        store.add([make_record(1, "it eats")])
    with ResultStore(path) as store:
        assert store.errors[make_key(1)] == "it eats"


def test_store_survives_a_torn_note_of_its_lines(path):
    for number in (1, 2):
        with ResultStore(path) as store:
            store.add([make_record(number)])
        (note,) = Path(os.environ["XDG_STATE_HOME"]).rglob("*.lines")
        note.write_bytes(note.read_bytes() + b"torn")
    with ResultStore(path) as store:
        assert list(store.errors) == [make_key(1), make_key(2)]


def test_store_ignores_records_of_another_user(path, tmp_path, monkeypatch):
    with ResultStore(path) as store:
        store.add([make_record(1)])
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    with ResultStore(path) as store:
        assert (store.foreign_lines, store.errors) == (1, {})
        store.add([make_record(2)])
    with ResultStore(path) as store:
        assert (list(store.errors), list(store.read([make_key(1), make_key(2)]))) == ([make_key(2)], [make_record(2)])
    path.unlink()
    with ResultStore(path) as store:
        assert store.foreign_lines == 0
        store.add([make_record(3)])
    with ResultStore(path) as store:
        assert list(store.errors) == [make_key(3)]
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with ResultStore(path) as store:
        assert store.errors == {}, "records were trusted without a note of their lines"


def test_last_record_of_a_key_counts(path):
    with ResultStore(path) as store:
        store.add([make_record(1), make_record(1, "it eats")])
        assert store.errors == {make_key(1): "it eats"}
        assert [record["diagnosis"]["error"] for record in store.read(store.errors)] == ["it eats"]


def test_store_refuses_a_second_writer(path):
    with ResultStore(path), pytest.raises(Busy, match="another `tune-skill fleet` is writing to this file"):
        ResultStore(path)
    ResultStore(path).__exit__(None, None, None)


def test_store_that_cannot_be_opened_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match="choose another file with --store"):
        ResultStore(tmp_path)


@pytest.mark.parametrize("text", [b"my notes\nand a last line", b"one line", b"\n", b'{"a": 1}\n', b"\0"])
def test_store_refuses_and_keeps_another_file(path, text):
    path.write_bytes(text)
    with pytest.raises(BadInput, match="not a store of fleet results; choose another"):
        ResultStore(path)
    assert path.read_bytes() == text


def test_store_refuses_irregular_files_unopened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/null"), Path("/dev/full")):
        with pytest.raises(BadInput, match="not a regular file"):
            ResultStore(path)
