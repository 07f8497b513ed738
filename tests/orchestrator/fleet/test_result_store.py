"""The store of a fleet: only added to, one writer, and a kill in the middle of a line costs that line."""

import json
import os
from pathlib import Path

import pytest

from orchestrator.errors import BadInput, Busy
from orchestrator.fleet.result_store import ResultStore
from orchestrator.fleet.scan_task import make_failed_record


def key(number):
    return f"{number:032x}"


def a_record(number, error="it hangs"):
    return make_failed_record(key(number), f"/skills/s{number}", error)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.jsonl"


def test_what_was_added_is_known_after_a_restart(path):
    with ResultStore(path) as store:
        store.add([a_record(1), a_record(2)])
        store.add([a_record(3)])
    with ResultStore(path) as store:
        assert store.known == dict.fromkeys(map(key, (1, 2, 3)), "it hangs")
        assert list(store.read([key(3), key(1), key(9)])) == [a_record(1), a_record(3)]


def test_a_torn_last_line_is_cut_off_and_what_follows_stands_on_a_line_of_its_own(path):
    with ResultStore(path) as store:
        store.add([a_record(1), a_record(2)])
    whole = path.read_bytes()
    for length in range(len(whole) - 1, len(whole) // 2, -7):
        path.write_bytes(whole[:length])
        with ResultStore(path) as store:
            assert set(store.known) == {key(1)}
            store.add([a_record(4)])
        assert [json.loads(line)["key"] for line in path.read_text().splitlines()] == [key(1), key(4)]


@pytest.mark.parametrize("line", [b"not json", b"{}", b'{"key": 7}', b"\xff\xfe", b"[" * 100_000, b""])
def test_a_damaged_line_in_the_middle_costs_itself(path, line):
    with ResultStore(path) as store:
        store.add([a_record(1)])
    path.write_bytes(path.read_bytes() + line + b"\n")
    with ResultStore(path) as store:
        store.add([a_record(2)])
    with ResultStore(path) as store:
        assert (list(store.known), store.damaged) == ([key(1), key(2)], 1)


def test_a_store_that_this_user_did_not_write_is_kept_and_only_what_is_added_is_known(path, tmp_path, monkeypatch):
    with ResultStore(path) as store:
        store.add([a_record(1)])
    size = path.stat().st_size
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    with ResultStore(path) as store:
        assert (store.foreign, store.known) == (size, {})
        store.add([a_record(2)])
    with ResultStore(path) as store:
        assert (list(store.known), list(store.read([key(1), key(2)]))) == ([key(2)], [a_record(2)])
    path.unlink()
    with ResultStore(path) as store:
        assert store.foreign == 0
        store.add([a_record(3)])
    with ResultStore(path) as store:
        assert list(store.known) == [key(3)]
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with ResultStore(path) as store:
        assert store.known == {}, "where nothing can be noted nothing is believed"


def test_of_two_records_with_one_key_the_last_counts(path):
    with ResultStore(path) as store:
        store.add([a_record(1), a_record(1, "it eats")])
        assert store.known == {key(1): "it eats"}
        assert [record["diagnosis"]["error"] for record in store.read(store.known)] == ["it eats"]


def test_a_second_writer_is_refused_until_the_first_is_gone(path):
    with ResultStore(path), pytest.raises(Busy, match="another fleet writes there"):
        ResultStore(path)
    ResultStore(path).__exit__(None, None, None)


def test_a_store_that_cannot_be_opened_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match="name another file with --store"):
        ResultStore(tmp_path)


@pytest.mark.parametrize("text", [b"my notes\nand a last line", b"one line", b"\n", b'{"a": 1}\n', b"\0"])
def test_a_file_of_someone_else_is_refused_and_stays_as_it_is(path, text):
    path.write_bytes(text)
    with pytest.raises(BadInput, match="holds no results of a fleet; name another"):
        ResultStore(path)
    assert path.read_bytes() == text


def test_what_is_no_regular_file_is_refused_unopened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/null"), Path("/dev/full")):
        with pytest.raises(BadInput, match="not a regular file"):
            ResultStore(path)
