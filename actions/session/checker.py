"""What a session checker is: a file `session_<id>.py` with a docstring, BAD and GOOD examples, and `look`.

The texts, the severity and the session types of a consideration stand in `schemas/considerations.yaml` alone; a
checker answers what the records prove: tool calls, their results, changes of files, exit codes, git's and gh's own
columns, counts, todo lists. It serves where no judge answers; what it cannot prove is unknown, and blocks nobody.
A consideration without a checker is for a judge alone.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any, Protocol

import msgspec

from actions.session.compaction import Loss, losses_of
from actions.session.edits import Edit, edits_of
from actions.session.git import Git, git_of
from actions.session.runs import Run, runs_of
from actions.session.shell import Command, commands_of
from actions.session.transcript import Compaction, Transcript
from actions.session.transcript import Quote as Quote

QUOTE = 200
"""Characters of a quote: enough to find it again."""


class Verdict(StrEnum):
    """Whether a session satisfies a consideration. What only words hint at is UNKNOWN and never blocks."""

    VIOLATED = "violated"
    SATISFIED = "satisfied"
    UNKNOWN = "unknown"


class Answer(msgspec.Struct, frozen=True):
    """A verdict, why, where it shows, and what would mend it where that is known of this very case."""

    verdict: Verdict
    why: str
    quotes: tuple[Quote, ...] = ()
    steps: tuple[str, ...] = ()


def violated(why: str, *quotes: Quote, steps: Iterable[str] = ()) -> Answer:
    """Answer that the session violates the consideration."""
    return Answer(Verdict.VIOLATED, why, tuple(map(_bounded, quotes)), tuple(steps))


def satisfied(why: str, *quotes: Quote) -> Answer:
    """Answer that the session satisfies the consideration."""
    return Answer(Verdict.SATISFIED, why, tuple(map(_bounded, quotes)))


def _bounded(quote: Quote) -> Quote:
    return quote._replace(quote=quote.quote.strip()[:QUOTE])


def unknown(why: str) -> Answer:
    """Answer that the records do not show it. Never stored as satisfied; the Stop hook lets it pass."""
    return Answer(Verdict.UNKNOWN, why)


class Session(msgspec.Struct, frozen=True, dict=True):
    """A transcript and what follows from it, worked out once for all checkers.

    `compacted` is what the compaction validator says, where an event was recorded; `preferences` is what the user wrote
    down for all sessions.
    """

    transcript: Transcript
    compacted: Answer | None = None
    preferences: str = ""

    @cached_property
    def losses(self) -> tuple[tuple[Compaction, tuple[Loss, ...]], ...]:
        """The last compactions, each with what it lost."""
        return losses_of(self.transcript)

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        """The shell commands, those of sub-agents among them."""
        return commands_of(self.transcript)

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that were carried out, sub-agents' among them."""
        return edits_of(self.transcript)

    @cached_property
    def code_edit(self) -> Edit | None:
        """The first edit of code: not of documentation, settings or plans."""
        return next((edit for edit in self.edits if edit.is_code), None)

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The test runs, in order."""
        return runs_of(self.transcript, self.commands)

    @cached_property
    def git(self) -> Git:
        """Commits, pushes, pull requests, and what was seen of the CI."""
        return git_of(self.commands)

    @cached_property
    def asked(self) -> str:
        """The user's own words in lower case, for a checker that keeps silent at some; long ones only by their head."""
        return "\n".join([self.preferences, *(m.text[:600] for m in self.transcript.prompts)]).strip().lower()


Example = tuple[Mapping[str, Any], ...]
"""The messages of an example session."""


class Checker(Protocol):
    """One file of this folder."""

    __doc__: str | None
    __name__: str
    BAD: tuple[Example, ...]
    GOOD: tuple[Example, ...]

    def check(self, session: Session) -> Answer:
        """Answer whether the session falls short of the consideration."""
