"""Define a session pattern: a module with PATTERN, BAD, GOOD and `check`; its docstring is its page, as for a pattern.

A check answers only from proof in the records: tool calls and their results, changes of files, exit codes, the columns
of git and gh, counts, todo lists. Without proof the answer is unknown. It is used if no model answers.
The questions, severities and session types are only in `schemas/considerations.yaml`.
"""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from actions.patterns import all_session_patterns
from actions.session.answer import Answer, unknown
from actions.session.occasions import answer_without_checker
from actions.session.session import Session
from schemas.vocabulary import Family

Example = tuple[Mapping[str, Any], ...]
"""The messages of an example session."""


class SessionPattern(msgspec.Struct, frozen=True):
    """The facts of a session pattern: the id of its consideration, and its family if it concerns a skill."""

    id: str
    family: Family | None = None


class SessionPatternModule(Protocol):
    """One file of `patterns/session`."""

    __doc__: str | None
    __name__: str
    PATTERN: SessionPattern
    BAD: tuple[Example, ...]
    GOOD: tuple[Example, ...]

    def check(self, session: Session) -> Answer:
        """Answer whether the session satisfies the consideration."""


def check_consideration(checker: str, session: Session) -> tuple[Answer, Exception | None]:
    """Return the answer of a consideration's checker (`_check_<id>`), and its error if it failed.

    Without a checker, the records may show that the consideration does not arise. After an error the answer is unknown.
    """
    if (module := all_session_patterns().get(checker.removeprefix("_check_"))) is None:
        return answer_without_checker(checker, session), None
    try:
        return module.check(session), None
    except Exception as error:  # noqa: BLE001 - the caller decides what follows
        return unknown(f"the checker failed: {type(error).__name__}"), error
