"""Test the search for the home folder, our folders in it, and programs."""

import pwd
from pathlib import Path

import pytest

from orchestrator.cli import main
from orchestrator.engine.cache import get_cache_folder
from orchestrator.errors import BadInput
from orchestrator.fs.git import is_unignored
from orchestrator.fs.home import find_home, find_program, parse_path, xdg_folder
from tests.fakes import write_skill


@pytest.fixture
def user_without_home(monkeypatch):
    def raise_key_error(uid):
        raise KeyError(uid)

    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", raise_key_error)


def test_home_reports_a_user_without_a_home_folder(user_without_home):
    for find_folder in (find_home, get_cache_folder, lambda: xdg_folder("XDG_STATE_HOME", ".local/state")):
        with pytest.raises(BadInput, match="this user has no home folder; set HOME"):
            find_folder()


def test_xdg_folder_of_the_environment_needs_no_home(user_without_home, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert get_cache_folder() == tmp_path / "tune-skill" / "diagnose"


def test_xdg_folder_ignores_a_relative_variable(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    assert xdg_folder("XDG_STATE_HOME", ".local/state") == tmp_path / ".local" / "state" / "tune-skill"


def test_diagnose_works_without_a_home_and_run_does_not_start(user_without_home, tmp_path, monkeypatch, capsys):
    write_skill(tmp_path / "plover")
    monkeypatch.chdir(tmp_path)
    for arguments, code in ((["diagnose", "plover"], 0), (["run", "plover", "--apply", "none"], 2)):
        with pytest.raises(SystemExit) as exit_info:
            main(arguments)
        assert exit_info.value.code == code
    assert "HOME" in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("~")] == []


@pytest.mark.parametrize(
    "arguments",
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
def test_parse_path_refuses_an_empty_path_and_an_unknown_user(arguments, tmp_path, monkeypatch, capsys):
    write_skill(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as exit_info:
        main(list(arguments))
    output = capsys.readouterr()
    assert (exit_info.value.code, output.out.strip()) == (2, "")
    assert len(output.err.splitlines()) == 1


def test_parse_path_prefers_an_existing_file_to_a_home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "~").mkdir()
    assert parse_path("~") == Path("~")
    assert parse_path("~/a") == Path.home() / "a"


@pytest.mark.parametrize("entry", [".", "", "tools", "tools/.."])
def test_find_program_ignores_the_current_folder(monkeypatch, tmp_path, entry):
    (tmp_path / "tools").mkdir()
    for folder in (tmp_path, tmp_path / "tools"):
        program_of_project = folder / "git"
        program_of_project.write_text("#!/bin/sh\ntouch ran\n")
        program_of_project.chmod(0o755)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.chdir(tmp_path)
    program = find_program("git")
    assert program
    monkeypatch.setenv("PATH", f"{entry}:{Path(program).parent}")
    assert find_program("git") == program
    is_unignored(tmp_path / "a", tmp_path)
    assert not (tmp_path / "ran").exists()
    monkeypatch.setenv("PATH", entry)
    assert find_program("git") is None
