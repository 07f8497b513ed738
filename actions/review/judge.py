"""The seam for a model: questions go out, checked answers come back. `orchestrator/model/` carries them.

A judge is asked where it is there; where it has no answer, what is proven stands alone. Nothing fails for want of one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Question:
    """One question: its name (the template that words it, and what it is about), the words, the schema of an answer.

    The first `shared` characters of the words are the same in other questions of a run: a provider's cache pays them
    once. An answer may speak of the findings `ids`, name those of `known` as the other one of a duplicate, and add
    faults of the `kinds`. What an answer must say that it looked for, or at, has the ids `looks`.
    """

    name: str
    prompt: str
    schema: Mapping[str, Any]
    shared: int = 0
    ids: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    looks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reply:
    """What came back: a value that meets the question's schema, or None and why; and what it cost.

    `cached` tells that nobody was asked: the same question was answered before in this run, and costs nothing. Of the
    tokens of the prompt `cached_tokens` came from the provider's cache.
    """

    value: Mapping[str, Any] | None
    why: str = ""
    usd: float = 0.0
    tokens: int = 0
    cached: bool = False
    prompt_tokens: int = 0
    cached_tokens: int = 0


class Judge(Protocol):
    """A model that judges."""

    @property
    def name(self) -> str:
        """What the report calls it."""
        ...

    def ask(self, questions: Sequence[Question]) -> Sequence[Reply]:
        """Give an answer for each question, in their order. Never raises for want of an answer: `why` says it."""
        ...
