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
def test_each_exception_is_one_line_and_its_code(error, code, capsys):
    assert report_error(error) is code
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith("tune-skill: ")


def test_a_full_temporary_folder_is_not_taken_for_a_deleted_one(capsys, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/nowhere"])
    with pytest.raises(FileNotFoundError) as raised:
        tempfile.gettempdir()
    assert report_error(raised.value) is Exit.USAGE
    assert "no folder for temporary files can be written" in capsys.readouterr().err


@pytest.mark.parametrize(("error", "code"), [(SystemExit(3), 3), (SystemExit("x"), 5), (click.exceptions.Exit(0), 0)])
def test_an_exit_keeps_its_code_and_says_nothing(error, code, capsys):
    assert report_error(error) == code
    assert capsys.readouterr().err == ""


def test_an_internal_error_names_a_log_with_the_traceback(capsys, tmp_path, monkeypatch):
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


def test_a_hostile_message_stays_one_line(capsys):
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
def test_the_code_of_a_run_follows_phase_and_gate(phase, gate, code):
    assert get_exit_code(State(phase=phase, status=phase.status, quality_gate=gate)) == code


def test_a_failed_run_is_exit_4(tune, project, monkeypatch):
    from actions.steps import table

    monkeypatch.delenv("TUNE_SKILL_STRICT")

    def sick(state, case, tools):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(table, "TABLE", wrap_actions(lambda act: sick, "action-verify"))
    done = tune("run", "plover", "--apply", "all", "--format", "json")
    assert done.code == 4
    assert (done.as_run["status"], done.as_run["phase"]) == ("failed", "failed")
    assert Path(done.json["report"]).is_file()
    assert "FIXABLE" in (project / "plover" / "SKILL.md").read_text()
    assert tune("resume").code == 4


def test_a_bug_is_exit_5_and_names_a_log(tune, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("orchestrator.project.targets.find_target", lambda name: 1 / 0)
    done = tune("run", "plover")
    assert done.code == 5
    assert "ZeroDivisionError" in done.err


def test_windows_gets_one_clear_line(tune, monkeypatch):
    monkeypatch.setattr("sys.platform", "win32")
    done = tune("diagnose", "plover")
    assert (done.code, done.err) == (2, "tune-skill: native Windows is not supported; use WSL\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
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
def test_usage_errors_are_plain_sentences(tune, project, arguments, said):
    (project / "afile").touch()
    done = tune(*arguments)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert said in done.err
