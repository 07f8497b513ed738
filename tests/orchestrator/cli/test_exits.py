"""Test the exit code of each exception, which is reported as one line on stderr."""

import errno
import os
import tempfile
from pathlib import Path

import click
import pytest

from orchestrator.errors import BadInput, Busy, Refused, RunFailed, StateDamaged, WriteFailed, WriteUnsettled
from orchestrator.exits import Exit, get_exit_code, report_error
from schemas.records import State
from schemas.vocabulary import Gate, Phase
from tests.runs import wrap_actions


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadInput("x"), Exit.USAGE),
        (Refused("x"), Exit.USAGE),
        (Busy("x"), Exit.USAGE),
        (StateDamaged("x"), Exit.USAGE),
        (WriteFailed("x"), Exit.USAGE),
        (WriteUnsettled("x"), Exit.FAILED),
        (RunFailed("x"), Exit.FAILED),
        (click.UsageError("x"), Exit.USAGE),
        (click.ClickException("x"), Exit.USAGE),
        (click.Abort(), Exit.INTERRUPTED),
        (KeyboardInterrupt(), Exit.INTERRUPTED),
        (OSError(errno.ENOSPC, "No space left on device"), Exit.USAGE),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), Exit.USAGE),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), Exit.USAGE),
        (OverflowError("timestamp too large to convert to C _PyTime_t"), Exit.USAGE),
        (ZeroDivisionError("x"), Exit.INTERNAL),
        (RecursionError("x"), Exit.INTERNAL),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_exception_prints_one_line_and_gives_its_code(error, code, capsys):
    assert report_error(error) is code
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith("tune-skill: ")


def test_missing_temporary_folder_is_reported_as_such(capsys, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/nowhere"])
    with pytest.raises(FileNotFoundError) as error_info:
        tempfile.gettempdir()
    assert report_error(error_info.value) is Exit.USAGE
    assert "no temporary folder is writable" in capsys.readouterr().err


@pytest.mark.parametrize(("error", "code"), [(SystemExit(3), 3), (SystemExit("x"), 5), (click.exceptions.Exit(0), 0)])
def test_exit_keeps_its_code_and_prints_nothing(error, code, capsys):
    assert report_error(error) == code
    assert capsys.readouterr().err == ""


def test_internal_error_names_a_log_with_the_traceback(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    try:
        raise KeyError("the bug")
    except KeyError as error:
        report_error(error)
    line = capsys.readouterr().err.strip()
    log = Path(line.rsplit(" ", 1)[1])
    assert log.parent == tmp_path
    assert "the bug" in log.read_text()


def test_internal_error_without_disk_prints_the_traceback(capsys, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", "/nowhere/at/all")
    try:
        raise KeyError("the bug")
    except KeyError as error:
        assert report_error(error) is Exit.INTERNAL
    assert "the bug" in capsys.readouterr().err


def test_hostile_message_is_printed_as_one_line(capsys):
    report_error(click.UsageError("a\nb\x1b[31m"))
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.isprintable()


@pytest.mark.parametrize(
    ("phase", "gate", "code"),
    [
        (Phase.COMPLETED, Gate.PASS, 0),
        (Phase.COMPLETED, Gate.REVIEW, 1),
        (Phase.COMPLETED, Gate.FAIL, 1),
        (Phase.VERIFY, Gate.PASS, 3),
        (Phase.PENDING, Gate.FAIL, 3),
        (Phase.FAILED, Gate.PASS, 4),
    ],
)
def test_exit_code_of_a_run_follows_phase_and_gate(phase, gate, code):
    assert get_exit_code(State(phase=phase, status=phase.status, quality_gate=gate)) == code


def test_failed_run_exits_4(tune, project, monkeypatch):
    from actions.steps import table

    monkeypatch.delenv("TUNE_SKILL_STRICT")

    def fail(state, case, tools):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(table, "TABLE", wrap_actions(lambda act: fail, "action-verify"))
    result = tune("run", "plover", "--apply", "all", "--format", "json")
    assert result.code == 4
    assert (result.as_run["status"], result.as_run["phase"]) == ("failed", "failed")
    assert Path(result.json["report"]).is_file()
    assert "FIXABLE" in (project / "plover" / "SKILL.md").read_text()
    assert tune("resume").code == 4


def test_bug_exits_5_and_names_the_error(tune, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("orchestrator.project.targets.find_target", lambda name: 1 / 0)
    result = tune("run", "plover")
    assert result.code == 5
    assert "ZeroDivisionError" in result.err


def test_windows_is_refused_with_one_line(tune, monkeypatch):
    monkeypatch.setattr("sys.platform", "win32")
    result = tune("diagnose", "plover")
    assert (result.code, result.err) == (2, "tune-skill: native Windows is not supported; use WSL\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("diagnose", "plover", "--max-cost-usd", "abc"), "'abc' is not a number"),
        (("diagnose", "plover", "--jobs", "abc"), "'abc' is not a whole number"),
        (("diagnose", "plover", "--format", "consise"), "'consise' is not a valid choice; did you mean concise?"),
        (("hooks", "test", "stop"), "'stop' is not a valid choice; did you mean Stop?"),
        (("diagnose", "plover", "--format", "xyz"), "'xyz' is not one of 'concise', 'full', "),
        (("diagnose", "plover", "--write-baseline", "nowhere/b.json"), "the folder nowhere does not exist"),
        (("run", "plover", "--work-dir", "afile"), "a part of the path exists and is not a folder"),
        (("diagnose", "plover", "--baseline", ""), "the value of --baseline is empty; pass a value or omit it"),
        (("fleet", ".", "--store="), "the value of --store is empty"),
        (("listing", ""), "the value is empty"),
    ],
)
def test_usage_errors_are_plain_sentences(tune, project, arguments, message):
    (project / "afile").touch()
    result = tune(*arguments)
    assert result.code == 2
    assert result.err.count("\n") == 1
    assert message in result.err
