"""What a session checker is: a file `session_<id>.py` with a docstring, BAD and GOOD examples, and `look`.

The texts, the severity and the session types of a consideration stand in `schemas/considerations.yaml` alone; a
checker answers whether a session falls short of it. It is the heuristic that serves when no judge is there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from actions.compaction import Loss, losses_of
from actions.session.edits import Edit, edits_of
from actions.session.git import Git, git_of
from actions.session.runs import Run, runs_of
from actions.session.shell import Command, commands_of
from actions.session.surface import Surface, surfaces
from actions.session.transcript import Compaction, Kind, Transcript

QUOTE = 200
"""Characters of a quote: enough to find it again."""


class Verdict(StrEnum):
    """What a checker says of a session."""

    FOUND = "found"
    CLEAN = "clean"
    UNKNOWN = "unknown"


class Quote(NamedTuple):
    """Words of a record, to be found in it again; `agent` names the sub-agent whose part holds the record."""

    record: int
    quote: str
    agent: str = ""


@dataclass(frozen=True)
class Answer:
    """A verdict, why, and where it shows."""

    verdict: Verdict
    why: str
    quotes: tuple[Quote, ...] = ()


def found(why: str, *quotes: Quote) -> Answer:
    """Say that the session falls short."""
    return Answer(Verdict.FOUND, why, tuple(map(_bounded, quotes)))


def clean(why: str, *quotes: Quote) -> Answer:
    """Say that nothing is wrong."""
    return Answer(Verdict.CLEAN, why, tuple(map(_bounded, quotes)))


def _bounded(quote: Quote) -> Quote:
    return quote._replace(quote=quote.quote.strip()[:QUOTE])


def unknown(why: str) -> Answer:
    """Say that the record does not tell. Never stored as satisfied; the Stop hook lets it pass."""
    return Answer(Verdict.UNKNOWN, why)


@dataclass(frozen=True)
class Session:
    """A transcript and what follows from it, worked out once for all checkers.

    `lost` are the warnings of the compaction validator, where it looked.
    """

    transcript: Transcript
    lost: tuple[str, ...] | None = None

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
    def code_edits(self) -> tuple[Edit, ...]:
        """The edits of code: not of documentation, settings or plans."""
        return tuple(edit for edit in self.edits if edit.is_code)

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The test runs, in order."""
        return runs_of(self.transcript, self.commands, tuple(edit.record for edit in self.edits))

    @cached_property
    def surfaces(self) -> tuple[Surface, ...]:
        """What was added for users: commands, options, routes."""
        return surfaces(self.edits)

    @cached_property
    def git(self) -> Git:
        """Commits, pushes, pull requests, and what was seen of the CI."""
        return git_of(self.commands)

    @cached_property
    def last_answer(self) -> Quote:
        """The assistant's last words."""
        answers = self.transcript.answers
        return Quote(answers[-1].record, answers[-1].text) if answers else Quote(0, "")

    @cached_property
    def interrupted(self) -> Quote | None:
        """The user's interruption, when the session ends with it."""
        messages = self.transcript.messages
        if messages and messages[-1].kind is Kind.INTERRUPT:
            return Quote(messages[-1].record, messages[-1].text)
        return None

    @cached_property
    def asked(self) -> str:
        """The user's own words, in lower case; long pasted texts (plans, logs) only by their head."""
        return "\n".join(message.text[:600] for message in self.transcript.prompts).lower()

    def in_root(self, path: str) -> bool:
        """Whether a file stands in the root of the project."""
        folder = path.rpartition("/")[0]
        return folder == self.transcript.cwd.rstrip("/") or folder in ("", ".")


Example = tuple[Mapping[str, Any], ...]
"""The messages of an example session."""


class Checker(Protocol):
    """One file of this folder."""

    __doc__: str | None
    __name__: str
    BAD: tuple[Example, ...]
    GOOD: tuple[Example, ...]

    def look(self, session: Session) -> Answer:
        """Answer whether the session falls short of the consideration."""
