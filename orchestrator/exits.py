"""Map exceptions and states to exit codes. No other module does this."""

import errno
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.errors import BadInputs, Interrupted, RunFailed, TuneSkillError, WriteFailed, one_line
from orchestrator.fs.ownership import describe_other_owner
from schemas.vocabulary import Gate, Phase
from templates.filters import did_you_mean

if TYPE_CHECKING:
    from schemas.records import State


_TYPE_NAMES = {
    "integer range": "a whole number",
    "integer": "a whole number",
    "float range": "a number",
    "float": "a number",
}
"""Replacements for the type names in click's messages."""
_DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG, errno.EIO}


class Exit(IntEnum):
    """An exit code of the command."""

    OK = 0
    GATE = 1
    USAGE = 2
    PAUSED = 3
    FAILED = 4
    INTERNAL = 5
    INTERRUPTED = 130


def get_exit_code(state: "State") -> Exit:
    """Return the exit code for the current state of a run."""
    if state.phase is Phase.FAILED:
        return Exit.FAILED
    if state.phase is not Phase.COMPLETED:
        return Exit.PAUSED
    return Exit.OK if state.quality_gate is Gate.PASS else Exit.GATE


def report_error(error: BaseException) -> Exit:
    """Print an exception as one line on stderr, and return its exit code."""
    match error:
        case BadInputs():
            return max(map(report_error, error.problems))
        case SystemExit():
            return Exit(error.code) if isinstance(error.code, int) and error.code in list(Exit) else Exit.INTERNAL
        case click.exceptions.Exit():
            return Exit(error.exit_code)
        case click.exceptions.Abort() | KeyboardInterrupt():
            cause = error.__cause__ or error  # click wraps a Ctrl-C in its own exception
            detail = f"; {cause}" if isinstance(cause, Interrupted) else ""
            return _print_error(f"interrupted{detail}", Exit.INTERRUPTED)
        case click.exceptions.NoArgsIsHelpError():
            click.echo(error.format_message(), err=True)
            return Exit.USAGE
        case click.UsageError():
            hint = f" (see `{error.ctx.command_path} --help`)" if error.ctx else ""
            return _print_error(f"{_format_usage_error(error)}{hint}", Exit.USAGE)
        case click.ClickException():
            return _print_error(error.format_message(), Exit.USAGE)
        case WriteFailed():
            return _print_error(str(error), Exit.USAGE)
        case RunFailed():
            return _print_error(str(error), Exit.FAILED)
        case TuneSkillError():
            return _print_error(str(error), Exit.USAGE)
        case OverflowError() if "timestamp" in str(error):
            return _print_error("the system clock is set to a year after 2262; correct it and try again", Exit.USAGE)
        case FileNotFoundError() if "temporary directory" in str(error):
            why = "no temporary folder is writable; free some space, or set TMPDIR to another folder"
            return _print_error(why, Exit.USAGE)
        case FileNotFoundError() if error.filename is None:
            return _print_error("the current folder no longer exists; change to another folder", Exit.USAGE)
        case OSError() if error.errno in _DISK_ERRORS:
            return _print_error(_describe_disk_error(error), Exit.USAGE)
        case _:
            log = _write_traceback()
            return _print_error(f"internal error: {type(error).__name__}; please report it with {log}", Exit.INTERNAL)


def _describe_disk_error(error: OSError) -> str:
    if error.errno == errno.EACCES and isinstance(error.filename, str):
        whose = describe_other_owner(Path(error.filename))
        if whose:
            return whose
    return f"{error.filename or 'the output or a file'}: {error.strerror}; fix this and try again"


def _format_usage_error(error: click.UsageError) -> str:
    """Return click's message in plain words, with the most similar valid choice, if any."""
    message = error.format_message().rstrip(".")
    for name, plain in _TYPE_NAMES.items():
        message = message.replace(f"is not a valid {name}", f"is not {plain}")
    kind = error.param.type if isinstance(error, click.BadParameter) and error.param else None
    start, is_choice, _ = message.partition("' is not one of ")
    if isinstance(kind, click.Choice) and is_choice:
        value = start.rpartition("'")[2]
        suggestion = did_you_mean(value, map(str, kind.choices)) or did_you_mean(value.title(), map(str, kind.choices))
        return f"{start}' is not a valid choice{suggestion}" if suggestion else message
    return message


def _print_error(message: str, code: Exit) -> Exit:
    with suppress(OSError):  # a closed stderr must not change the exit code
        click.echo(f"tune-skill: {one_line(message)}", err=True)
    return code


def _write_traceback() -> str:
    """Write the traceback to a temporary file and return its path, or the end of the traceback if that fails."""
    import tempfile
    import traceback

    text = traceback.format_exc()
    try:
        with tempfile.NamedTemporaryFile("w", prefix="tune-skill-", suffix=".log", delete=False) as file:
            file.write(text)
        return file.name
    except OSError:
        return f"this: {text[-500:]}"
