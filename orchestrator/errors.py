"""Define the errors that a user sees: one line that says what is wrong, where, and what to do."""
# ruff: noqa: N818 - they are named for what happened

import os
from collections.abc import Callable, Sequence
from json import JSONDecodeError
from typing import Any


def one_line(text: str) -> str:
    """Return `text` as one printable line.

    Hostile text can then neither move the cursor nor look like a line of its own.
    """
    line = " ".join(text.split())
    return line if line.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in line)


def reason(error: BaseException) -> str:
    """Describe why something failed, without the system's error number."""
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
    """Return whether code that would continue after an error must raise it (TUNE_SKILL_STRICT=1, as in the tests)."""
    return os.environ.get("TUNE_SKILL_STRICT") == "1"


class TuneSkillError(Exception):
    """The base of all errors whose message is shown to the user."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class BadInput(TuneSkillError):
    """Input that cannot be used, such as an argument, a file or a folder."""


class NotInstalled(BadInput):
    """An optional part of tune-skill is missing; the message contains the command that installs it."""


class Several(BadInput):
    """Several inputs that cannot be used. They are reported together, each on its own line."""

    def __init__(self, problems: Sequence[BadInput]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


class Refused(TuneSkillError):
    """A request that was not carried out because it would do harm."""


class StateDamaged(TuneSkillError):
    """Neither the state of a run nor its previous generation can be used."""


class Busy(TuneSkillError):
    """Another process is using the same skill, store or trial."""


class RunFailed(TuneSkillError):
    """The run cannot go on."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C at a point where the message can say what happened to the work, and what to type next."""


class WriteFailed(RunFailed):
    """A file could not be written; its old content is unchanged."""


class WriteUnsettled(RunFailed):
    """A file was replaced, but the disk did not confirm it: read it again before relying on it."""


def call_all(*calls: Callable[[], Any]) -> list[Any]:
    """Call all functions and return their results. Raises BadInput, or Several if more than one of them raises it."""
    results, problems = list[Any](), list[BadInput]()
    for call in calls:
        try:
            results.append(call())
        except BadInput as error:
            problems += error.problems if isinstance(error, Several) else (error,)
    if problems:
        raise problems[0] if len(problems) == 1 else Several(problems)
    return results
