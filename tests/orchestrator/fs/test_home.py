"""A user without a home, as containers run them: what needs none works, what needs one says so."""

import pwd
from pathlib import Path

import pytest

from orchestrator.cli import main
from orchestrator.engine.cache import cache_folder
from orchestrator.errors import BadInput
from orchestrator.fs.git import is_unignored
from orchestrator.fs.home import find_program, home, parse_path, xdg_folder
from tests.fakes import a_skill


@pytest.fixture
def homeless(monkeypatch):
    def unknown(uid):
        raise KeyError(uid)

    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)


def test_a_user_without_a_home_is_told_what_to_set(homeless):
    for needs_one in (home, cache_folder, lambda: xdg_folder("XDG_STATE_HOME", ".local/state")):
        with pytest.raises(BadInput, match="this user has no home folder; set HOME"):
            needs_one()


def test_a_folder_that_the_environment_names_needs_no_home(homeless, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "tune-skill" / "diagnose"


def test_a_relative_folder_in_the_environment_counts_as_none(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    assert xdg_folder("XDG_STATE_HOME", ".local/state") == tmp_path / ".local" / "state" / "tune-skill"


def test_a_skill_is_diagnosed_without_a_home_and_no_run_of_it_is_begun(homeless, tmp_path, monkeypatch, capsys):
    a_skill(tmp_path / "plover")
    monkeypatch.chdir(tmp_path)
    for words, code in ((["diagnose", "plover"], 0), (["run", "plover", "--apply", "none"], 2)):
        with pytest.raises(SystemExit) as end:
            main(words)
        assert end.value.code == code
    assert "HOME" in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("~")] == []


@pytest.mark.parametrize(
    "words",
    [
        ("diagnose", ""),
        ("diagnose", "--only-in-skills", "--", ""),
        ("run", ""),
        ("fleet", ""),
        ("check", ""),
        ("mcp", "--project", ""),
        ("diagnose", ".", "--sessions", ""),
        ("status", ""),
        ("report", ""),
        ("resume", ""),
        ("rollback", "", "--all"),
        ("diagnose", "~nobody-of-this-name/a"),
        ("fleet", "~nobody-of-this-name"),
    ],
)
def test_an_empty_name_and_a_home_of_nobody_are_bad_input_and_never_the_current_folder(
    words, tmp_path, monkeypatch, capsys
):
    a_skill(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(list(words))
    told = capsys.readouterr()
    assert (end.value.code, told.out.strip()) == (2, "")
    assert len(told.err.splitlines()) == 1


def test_what_is_called_like_a_home_here_is_no_home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "~").mkdir()
    assert parse_path("~") == Path("~")
    assert parse_path("~/a") == Path.home() / "a"


@pytest.mark.parametrize("entry", [".", "", "tools", "tools/.."])
def test_a_program_is_never_taken_from_where_one_stands(monkeypatch, tmp_path, entry):
    (tmp_path / "tools").mkdir()
    for folder in (tmp_path, tmp_path / "tools"):
        hostile = folder / "git"
        hostile.write_text("#!/bin/sh\ntouch ran\n")
        hostile.chmod(0o755)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.chdir(tmp_path)
    real = find_program("git")
    assert real
    monkeypatch.setenv("PATH", f"{entry}:{Path(real).parent}")
    assert find_program("git") == real
    is_unignored(tmp_path / "a", tmp_path)
    assert not (tmp_path / "ran").exists()
    monkeypatch.setenv("PATH", entry)
    assert find_program("git") is None
