"""The errors that a user may meet. Each is one line: what, where, what to do. The cli maps them to exit codes."""
# ruff: noqa: N818 - they are named for what happened

import os
from collections.abc import Callable, Sequence
from json import JSONDecodeError
from typing import Any


def one_line(text: str) -> str:
    """Give `text` as one printable line: hostile names and messages cannot move the cursor or fake a line."""
    line = " ".join(text.split())
    return line if line.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in line)


def reason(error: BaseException) -> str:
    """Return why something failed in words, without the number that the system has for it."""
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
    """Tell whether what fails open must raise (TUNE_SKILL_STRICT=1, as in the tests): so it hides no bug."""
    return os.environ.get("TUNE_SKILL_STRICT") == "1"


class TuneSkillError(Exception):
    """The base of all errors of this project that a user is told about."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class BadInput(TuneSkillError):
    """Something that was given cannot be used: an argument, a file, a folder."""


class NotInstalled(BadInput):
    """An optional part of tune-skill is missing; the message has the line that installs it."""


class Several(BadInput):
    """Several things that cannot be used: the user hears of all at once, each on its own line."""

    def __init__(self, problems: Sequence[BadInput]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


class Refused(TuneSkillError):
    """Something that was asked for would do harm, so nothing was done."""


class StateDamaged(TuneSkillError):
    """Neither the state of a run nor its previous generation can be used."""


class Busy(TuneSkillError):
    """Another process works on the same thing."""


class RunFailed(TuneSkillError):
    """The run cannot go on."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C where it is known what became of the work: the message says it, and what to type."""


class WriteFailed(RunFailed):
    """A file could not be written; what stood there before still stands."""


class WriteUnsettled(RunFailed):
    """A file was replaced, but the disk did not confirm it: read it again before relying on it."""


def all_asked(*asks: Callable[[], Any]) -> list[Any]:
    """Return what each gives. What is wrong with several of them is raised together: see Several."""
    given, wrong = list[Any](), list[BadInput]()
    for ask in asks:
        try:
            given.append(ask())
        except BadInput as error:
            wrong += error.problems if isinstance(error, Several) else (error,)
    if wrong:
        raise wrong[0] if len(wrong) == 1 else Several(wrong)
    return given
