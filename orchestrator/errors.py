"""Define the errors that a user sees: one line that says what is wrong, where, and what to do."""
# ruff: noqa: N818 - the errors are named for what happened

import os
from collections.abc import Callable, Sequence
from json import JSONDecodeError
from typing import Any


def one_line(text: str) -> str:
    """Return `text` as one printable line.

    A hostile text then cannot move the cursor or fake another line.
    """
    line = " ".join(text.split())
    return line if line.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in line)


def reason(error: BaseException) -> str:
    """Describe why something failed, without the number of a system error."""
    if isinstance(error, JSONDecodeError):
        return f"not JSON at line {error.lineno}, column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 at byte {error.start}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def is_strict() -> bool:
    """Return whether errors that are usually skipped must be raised (TUNE_SKILL_STRICT=1, as in the tests)."""
    return os.environ.get("TUNE_SKILL_STRICT") == "1"


class TuneSkillError(Exception):
    """The base class of errors whose message is shown to the user."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class BadInput(TuneSkillError):
    """An argument, file or folder cannot be used."""


class NotInstalled(BadInput):
    """An optional part of tune-skill is missing; the message contains the command that installs it."""


class NotOwned(BadInput):
    """A folder of caches or state belongs to another user."""


class BadInputs(BadInput):
    """Several inputs cannot be used. Each problem is reported on its own line."""

    def __init__(self, problems: Sequence[BadInput]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


class Refused(TuneSkillError):
    """A request was not carried out because it would do harm."""


class StateDamaged(TuneSkillError):
    """Neither the state of a run nor its previous generation can be used."""


class Busy(TuneSkillError):
    """Another process is using the same skill, store or trial."""


class RunFailed(TuneSkillError):
    """The run cannot continue."""


class Interrupted(KeyboardInterrupt):
    """The user pressed Ctrl-C; the message says what happened to the work and what to do next."""


class WriteFailed(RunFailed):
    """A file could not be written; its old content is unchanged."""


class WriteUnsettled(RunFailed):
    """A file was replaced, but the disk did not confirm it, so it must be read again."""


def call_all(*calls: Callable[[], Any]) -> list[Any]:
    """Call all functions and return their results. Raises BadInput, or BadInputs for several problems."""
    results, problems = list[Any](), list[BadInput]()
    for call in calls:
        try:
            results.append(call())
        except BadInput as error:
            problems += error.problems if isinstance(error, BadInputs) else (error,)
    if problems:
        raise problems[0] if len(problems) == 1 else BadInputs(problems)
    return results
