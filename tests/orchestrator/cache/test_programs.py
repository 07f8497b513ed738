"""Compiled patterns go from run to run; whatever is wrong with their file, it is as if it were not there."""

import os

import pytest

from actions.skill import compiled
from orchestrator.cache import programs


@pytest.fixture(autouse=True)
def fresh_run(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    programs.remember_patterns()
    begin(monkeypatch)
    yield
    programs._read.cache_clear()


def begin(monkeypatch):
    monkeypatch.setattr(compiled, "known", {})
    programs._read.cache_clear()


def compile_some(count=programs._WORTH):
    for number in range(count):
        compiled.compiled(f"word{number}", 0)


def test_the_next_run_knows_what_this_one_compiled(monkeypatch):
    programs.remember_patterns()
    compile_some()
    programs.keep_patterns()
    before = compiled.known
    begin(monkeypatch)
    programs.remember_patterns()
    assert {key: tuple(program) for key, program in compiled.known.items()} == before


def test_a_few_patterns_are_not_worth_a_file():
    compile_some(programs._WORTH - 1)
    programs.keep_patterns()
    assert not programs._file().exists()


def test_the_file_is_written_once_for_the_same_patterns():
    compile_some()
    programs.keep_patterns()
    programs._file().unlink()
    programs.keep_patterns()
    assert not programs._file().exists()


@pytest.mark.parametrize("damage", [b"", b"[]", b"0\n{}", b"\xff\xfe"])
def test_a_damaged_file_is_as_if_it_were_not_there(monkeypatch, damage):
    compile_some()
    programs.keep_patterns()
    file = programs._file()
    file.write_bytes(damage or file.read_bytes()[:-9])
    begin(monkeypatch)
    programs.remember_patterns()
    assert compiled.known == {}


def test_a_folder_that_cannot_be_written_costs_nothing(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    compile_some()
    programs.keep_patterns()


def test_of_the_files_of_other_engines_the_last_stays(tmp_path):
    folder = programs._file().parent
    folder.mkdir(parents=True)
    others = [folder / f"patterns-{number}.json" for number in range(4)]
    for number, other in enumerate((*others, folder / "note.json")):
        other.write_text("{}")
        os.utime(other, (number, number))
    compile_some()
    programs.keep_patterns()
    assert set(folder.iterdir()) == {folder / "note.json", others[-1], programs._file()}
