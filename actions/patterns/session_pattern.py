"""Define a session pattern: a module with PATTERN, BAD, GOOD and `check`. Its docstring is its page, as for a pattern.

A check answers only what the records prove: tool calls and their results, changes of files, exit codes, the columns
that git and gh print, counts, todo lists. Without proof the answer is unknown. The answer is used if no model answers.
The questions, severities and session types are only in `schemas/considerations.yaml`.
"""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from actions.patterns import find_session_pattern
from actions.session.answer import Answer, Verdict, answer_unknown
from actions.session.exemptions import answer_without_checker
from actions.session.session import Session
from actions.session.unseen import find_unseen_changes
from schemas.family import Family

_BY_CODE = frozenset(
    "documentation_updates interactive_testing local_testing philosophy_compliance shortcuts tutorial_needed".split()
)
_BY_FILES = frozenset("docs_organization feature_docs_discoverable root_pollution unrelated_changes".split())
"""Considerations that are satisfied if no record shows a code change (`_BY_CODE`) or any file change (`_BY_FILES`)."""
Example = tuple[Mapping[str, Any], ...]
"""The messages of an example session."""


class SessionPattern(msgspec.Struct, frozen=True):
    """The facts of a session pattern: the id of its consideration, and its family if it is evidence about a skill."""

    id: str
    family: Family | None = None


class SessionPatternModule(Protocol):
    """The interface of a module in `patterns/session` that answers a consideration."""

    __doc__: str | None
    __name__: str
    PATTERN: SessionPattern
    BAD: tuple[Example, ...]
    GOOD: tuple[Example, ...]

    def check(self, session: Session) -> Answer:
        """Answer whether the session satisfies the consideration."""


def check_consideration(checker: str, session: Session) -> tuple[Answer, Exception | None]:
    """Return the answer of a consideration's checker (`_check_<id>`), and its error if it failed.

    A consideration without a checker is satisfied if the records show that it does not apply. The answer is unknown
    after an error, and if it relies on the absence of a change although records are missing.
    """
    id = checker.removeprefix("_check_")
    module = find_session_pattern(id)
    try:
        answer = module.check(session) if module else answer_without_checker(id, session)
    except Exception as error:  # noqa: BLE001 - the caller decides what follows
        return answer_unknown(f"the checker failed: {type(error).__name__}"), error
    if answer.verdict is Verdict.SATISFIED and not answer.quotes and id in _BY_CODE | _BY_FILES:
        reason = find_unseen_changes(session, only_code=id in _BY_CODE)
        answer = answer_unknown(reason) if reason else answer
    return answer, None
