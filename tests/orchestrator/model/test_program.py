"""Test how Claude Code is started. `test_stopped.py` tests that it ends with a killed command."""

import subprocess
from pathlib import Path

import pytest

from orchestrator.model import program


@pytest.fixture
def claude(tmp_path, monkeypatch):
    """Yield a program that prints its arguments and is configured as the Claude Code of the user."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "query").mkdir()
    path = tmp_path / "bin" / "my claude"
    path.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    path.chmod(0o755)
    monkeypatch.setenv("TUNE_SKILL_JUDGE_CLI", str(path))
    program._find_setpriv.cache_clear()
    yield path
    program._find_setpriv.cache_clear()


def test_launcher_passes_all_arguments(claude, tmp_path):
    launcher = program.write_launcher(tmp_path / "query")
    output = subprocess.run([launcher, "--a", "b c", "*"], capture_output=True, text=True, check=True).stdout
    assert output == "--a|b c|*|"


@pytest.mark.parametrize("setpriv", [None, "#!/bin/sh\nexit 1\n", "no program\n"])
def test_launcher_works_without_a_usable_setpriv(claude, tmp_path, monkeypatch, setpriv):
    if setpriv:
        (claude.parent / "setpriv").write_text(setpriv)
        (claude.parent / "setpriv").chmod(0o755)
    monkeypatch.setenv("PATH", str(claude.parent))
    assert "setpriv" not in (launcher := Path(program.write_launcher(tmp_path / "query"))).read_text()
    assert subprocess.run([launcher, "--a"], capture_output=True, text=True, check=True).stdout == "--a|"


@pytest.mark.parametrize("setpriv", [True, False])
def test_claude_code_is_spared_by_a_terminal(claude, tmp_path, monkeypatch, setpriv):
    """Ctrl-C of a terminal goes to the process group of a command."""
    if not setpriv:
        monkeypatch.setattr(program, "find_program", lambda name: None)
    claude.write_text("#!/bin/sh\nps -o pid=,pgid=,sid= -p $$\n")
    launcher = program.write_launcher(tmp_path / "query")
    with subprocess.Popen([launcher], stdout=subprocess.PIPE, text=True) as process:
        assert process.communicate()[0].split() == [str(process.pid)] * 3


def test_claude_code_is_started_itself_from_a_folder_without_programs(claude, tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "chmod", lambda path, mode: None)
    assert program.write_launcher(tmp_path / "query") == str(claude)
