"""Test the commands on a file system without locks, as some network file systems are."""

import errno
import fcntl

import pytest

from tests.fakes import write_skill


@pytest.fixture
def no_locks(monkeypatch):
    def refuse(fd, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    return lambda: monkeypatch.setattr(fcntl, "flock", refuse)


@pytest.mark.parametrize("command", [("run", "plover", "--apply", "all"), ("rollback", "--all"), ("fleet", "plover")])
def test_command_that_needs_a_lock_says_so_and_changes_nothing(tune, project, no_locks, command):
    skill = write_skill(project / "plover", "A tall FIXABLE on the shore.\n")
    assert command[0] != "rollback" or tune("run", "plover", "--apply", "all").code == 0
    before = (skill / "SKILL.md").read_bytes()
    no_locks()
    result = tune(*command)
    assert result.code == 2
    assert "No locks available" in result.err
    assert (skill / "SKILL.md").read_bytes() == before


@pytest.mark.parametrize(
    "command", [("config", "init"), ("config", "set", "judge", "none"), ("config", "set", "agent.id", "tern")]
)
def test_settings_are_written_without_a_lock(tune, project, no_locks, command):
    no_locks()
    result = tune(*command)
    assert (result.code, result.err) == (0, "")
    assert "written: " in result.out


@pytest.mark.parametrize("command", ["status", "report"])
def test_command_that_only_reads_needs_no_lock(tune, project, no_locks, command):
    write_skill(project / "plover", "A tall FIXABLE on the shore.\n")
    tune("run", "plover", "--apply", "all")
    expected = tune(command)
    no_locks()
    assert tune(command) == expected
