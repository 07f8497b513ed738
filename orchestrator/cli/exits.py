"""The exit codes, and the one map from exceptions to them."""

import errno
from contextlib import suppress
from enum import IntEnum
from typing import TYPE_CHECKING

import click

from orchestrator.errors import Interrupted, RunFailed, Several, TuneSkillError, WriteFailed, one_line
from schemas.vocabulary import Gate, Phase
from templates.filters import did_you_mean

if TYPE_CHECKING:
    from schemas.records import State


_PLAIN = {
    "integer range": "a whole number",
    "integer": "a whole number",
    "float range": "a number",
    "float": "a number",
}
_OF_THE_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG, errno.EIO}


class Exit(IntEnum):
    """What the command's exit code says."""

    OK = 0
    GATE = 1
    USAGE = 2
    PAUSED = 3
    FAILED = 4
    INTERNAL = 5
    INTERRUPTED = 130


def of_state(state: "State") -> Exit:
    """Give the code of a run as it stands."""
    if state.phase is Phase.FAILED:
        return Exit.FAILED
    if state.phase is not Phase.COMPLETED:
        return Exit.PAUSED
    return Exit.OK if state.quality_gate is Gate.PASS else Exit.GATE


def told(error: BaseException) -> Exit:
    """Tell the user of an exception in one line on stderr, and give its code."""
    match error:
        case Several():
            return max(map(told, error.problems))
        case SystemExit():
            return Exit(error.code) if isinstance(error.code, int) and error.code in list(Exit) else Exit.INTERNAL
        case click.exceptions.Exit():
            return Exit(error.exit_code)
        case click.exceptions.Abort() | KeyboardInterrupt():
            why = error.__cause__ or error  # click makes its own of a Ctrl-C
            tail = f"; {why}" if isinstance(why, Interrupted) else ""
            return _said(f"interrupted{tail}", Exit.INTERRUPTED)
        case click.exceptions.NoArgsIsHelpError():
            click.echo(error.format_message(), err=True)
            return Exit.USAGE
        case click.UsageError():
            where = f" (see `{error.ctx.command_path} --help`)" if error.ctx else ""
            return _said(f"{_usage(error)}{where}", Exit.USAGE)
        case click.ClickException():
            return _said(error.format_message(), Exit.USAGE)
        case WriteFailed():
            return _said(str(error), Exit.USAGE)
        case RunFailed():
            return _said(str(error), Exit.FAILED)
        case TuneSkillError():
            return _said(str(error), Exit.USAGE)
        case OverflowError() if "timestamp" in str(error):
            return _said("the clock of this machine stands beyond the year 2262; set it and try again", Exit.USAGE)
        case FileNotFoundError() if error.filename is None:
            return _said("the current folder is not there any more; change to another", Exit.USAGE)
        case OSError() if error.errno in _OF_THE_DISK:
            return _said(f"{error.filename or 'a file'}: {error.strerror}; fix this and resume", Exit.USAGE)
        case _:
            return _said(f"internal error: {type(error).__name__}; please report it with {_logged()}", Exit.INTERNAL)


def _usage(error: click.UsageError) -> str:
    """Return what is wrong with an argument, in plain words, with the choice that was meant where one is spelled so."""
    said = error.format_message().rstrip(".")
    for word, plain in _PLAIN.items():
        said = said.replace(f"is not a valid {word}", f"is not {plain}")
    kind = error.param.type if isinstance(error, click.BadParameter) and error.param else None
    head, no_choice, _ = said.partition("' is not one of ")
    if isinstance(kind, click.Choice) and no_choice:
        value = head.rpartition("'")[2]
        near = did_you_mean(value, map(str, kind.choices)) or did_you_mean(value.title(), map(str, kind.choices))
        return f"{head}' is none of the choices{near}" if near else said
    return said


def _said(sentence: str, code: Exit) -> Exit:
    with suppress(OSError):  # a stderr that takes nothing changes no exit code
        click.echo(f"tune-skill: {one_line(sentence)}", err=True)
    return code


def _logged() -> str:
    """Write the traceback where the user finds it, and name the file."""
    import tempfile
    import traceback

    text = traceback.format_exc()
    try:
        with tempfile.NamedTemporaryFile("w", prefix="tune-skill-", suffix=".log", delete=False) as file:
            file.write(text)
        return file.name
    except OSError:
        return f"this: {text[-500:]}"
